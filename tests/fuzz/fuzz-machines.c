/* SPDX-License-Identifier: Apache-2.0 */
/* The machines of matrix, a CSV file. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command/matrix/machines.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static int fd = -1;
    struct cua_machines machines;
    char path[64];
    size_t length = 0;

    if (fd < 0)
        fd = memfd_create("machines", 0);
    if (ftruncate(fd, 0) || pwrite(fd, bytes, size, 0) != (ssize_t)size)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (cua_machines_read(&machines, path) == 0)
        for (size_t i = 0; i < machines.count; i++)
            length += strlen(machines.machine[i].name);
    if (length > size)
        abort();
    cua_machines_free(&machines);
    return 0;
}
