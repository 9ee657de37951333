/* SPDX-License-Identifier: Apache-2.0 */
/* A library that needs libcuda through a good one, and one that is damaged beside it: the needs of
 * the good one are followed anyway. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loader/closure.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The tree's libfuzzed.so is a link to this descriptor. */
#define FUZZED 600

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct cua_subject subject = {.sysroot = ""};
    char libcuda[PATH_MAX], *needed[CUA_NEEDED + 1];
    int before = open("/dev/null", O_RDONLY | O_CLOEXEC), after, rc;

    close(before);
    if (fcntl(FUZZED, F_GETFD) < 0) {
        int fd = memfd_create("fuzz", MFD_CLOEXEC);
        if (dup2(fd, FUZZED) != FUZZED)
            abort();
        close(fd);
    }
    if (ftruncate(FUZZED, 0) != 0 || pwrite(FUZZED, bytes, size, 0) != (ssize_t)size)
        return 0;
    rc = cua_loader_brings_libcuda(&subject, NULL, CUA_FUZZ_TREE "/closure/libtop.so", libcuda,
                                   NULL, needed, NULL, NULL);
    /* One that calls itself as the good one or libcuda satisfies the need; one that needs libcuda
     * is asked first. */
    if (!memmem(bytes, size, "libcuda.so.1", 12) && !memmem(bytes, size, "libgood.so", 10)
            ? rc != 1 || strcmp(libcuda, CUA_FUZZ_TREE "/closure/libcuda.so.1") != 0
            : rc != 0 && rc != 1)
        abort();
    for (size_t i = 0; needed[i]; i++)
        free(needed[i]);
    after = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(after);
    if (after != before)
        abort();
    return 0;
}
