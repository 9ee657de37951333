/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is looked at for GPU code: an ELF file, a fat binary, PTX, a compiler. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command/code/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static unsigned long entries;

static void count_entry(const struct cua_code_entry *entry)
{
    entries += entry->kind <= CUA_CODE_LTO && entry->packed->name;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"file.so", "file.ptx", "ptxas"};
    static const struct cua_code_target targets[] = {
        {.cc = 90, .cuda = 12020, .compiler = 12020},
        {.cc = 87, .cuda = 14000, .compiler = 14000},
        {.cc = 0},
    };
    static int fd = -1;
    unsigned long ends = 0;

    if (fd < 0)
        fd = memfd_create("fuzz", 0);
    if (!size || ftruncate(fd, 0) != 0 || pwrite(fd, bytes + 1, size - 1, 0) != (ssize_t)(size - 1))
        return 0;
    /* Behind the end of some lie more bytes, where what runs over its end goes on. */
    if (bytes[0] & 64 && ftruncate(fd, (off_t)size + (64 << 10)) != 0)
        return 0;
    struct cua_code code = {.path = names[bytes[0] % 3],
                            .target = &targets[bytes[0] / 3 % 3],
                            .named = bytes[0] & 32,
                            .each = count_entry};
    entries = 0;
    cua_code_scan(&code, dup(fd));
    for (unsigned end = 0; end < CUA_CODE_ENDS; end++)
        ends += code.end[end];
    if (ends != code.modules || entries != code.entries || code.entries > 2 * size + 1 ||
        code.result > CUA_CODE_222)
        abort();
    if (code.modules && code.result == CUA_CODE_SERVES && !code.end[CUA_CODE_SERVES])
        abort();
    return 0;
}
