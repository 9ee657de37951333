/* SPDX-License-Identifier: Apache-2.0 */
/* A library with -z initfirst: it asks for the driver before libc has an environment. */
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void cua_early(void)
{
    int fd = open("/proc/driver/nvidia/version", O_RDONLY | O_CLOEXEC);
    char text[512];
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);

    if (write(2, environ ? "late: " : "early: ", environ ? 6 : 7) < 0)
        return;
    if (n > 0 && write(2, text, (size_t)n) < 0)
        return;
    if (fd >= 0)
        close(fd);
}
