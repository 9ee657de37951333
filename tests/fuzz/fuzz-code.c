/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is looked at for GPU code: an ELF file, a fat binary, PTX, a compiler. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command/code/judge.h"
#include "command/code/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"file.so", "file.ptx", "ptxas"};
    static const struct cua_code_target targets[] = {
        {.cc = 90, .cuda = 12020, .compiler = 12020},
        {.cc = 87, .cuda = 14000, .compiler = 14000},
        {.cc = 0},
    };
    static int fd = -1;
    unsigned long ends = 0, entries = 0;

    if (fd < 0)
        fd = memfd_create("fuzz", 0);
    if (!size || ftruncate(fd, 0) != 0 || pwrite(fd, bytes + 1, size - 1, 0) != (ssize_t)(size - 1))
        return 0;
    /* Behind the end of some lie more bytes, where what runs over its end goes on. */
    if (bytes[0] & 64 && ftruncate(fd, (off_t)size + (64 << 10)) != 0)
        return 0;
    struct cua_code code = {.path = names[bytes[0] % 3],
                            .targets = &targets[bytes[0] / 3 % 3],
                            .count = 1,
                            .named = bytes[0] & 32,
                            .listed = true};
    if (!cua_code_scan(&code, dup(fd)))
        return 0;
    const struct cua_code_result *result = code.result;
    for (unsigned end = 0; end < CUA_CODE_ENDS; end++)
        ends += result->end[end];
    while (entries < code.entries && code.list[entries].kind <= CUA_CODE_LTO &&
           code.list[entries].packed->name)
        entries++;
    if (ends != code.modules || entries != code.entries || code.entries > 2 * size + 1 ||
        result->end[CUA_CODE_209] < result->aside)
        abort();
    if (code.modules && result->verdict == CUA_CODE_SERVES && !result->end[CUA_CODE_SERVES])
        abort();
    cua_code_free(&code);
    return 0;
}
