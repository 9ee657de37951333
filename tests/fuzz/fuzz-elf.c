/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is taken for a libcuda, and for a library whose needs are followed. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/file.h"
#include "command/build_id.h"
#include "drivers/identity.h"
#include "facts/facts.h"
#include "loader/closure.h"
#include "machine/subject.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct cua_subject subject = {.sysroot = ""};
    static int fd = -1;
    int none = -1;
    char path[64], id[CUA_BUILD_ID], libcuda[PATH_MAX];
    char *needed[CUA_NEEDED + 1];
    struct cua_umd umd = {0};
    uint64_t budget = UINT64_MAX;
    struct stat st;

    if (fd < 0)
        fd = memfd_create("fuzz", 0);
    /* Behind the end of every other input lie more bytes, where what runs over its end goes on. */
    if (ftruncate(fd, 0) != 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size ||
        (size & 1 && ftruncate(fd, (off_t)size + (64 << 10)) != 0))
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    umd.real = umd.path = path;
    if (fstat(fd, &st) != 0)
        return 0;
    cua_identify(&umd, &subject, &none, &st, "", cua_elf_own_machine(), &budget);
    if (strnlen(umd.trouble, sizeof umd.trouble) == sizeof umd.trouble ||
        strnlen(cua_build_id(&umd, &cua_here, id), sizeof id) == sizeof id ||
        (umd.state != CUA_UMD_USABLE && umd.state != CUA_UMD_ARCH && !umd.trouble[0]))
        abort();
    cua_loader_brings_libcuda(&subject, NULL, path, libcuda, NULL, needed, NULL, NULL);
    for (size_t i = 0; needed[i]; i++)
        free(needed[i]);
    return 0;
}
