/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the file MARK when it is loaded, whatever it is loaded as. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void mark(void)
{
    const char *file = getenv("MARK");
    int fd = file ? open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;

    if (fd >= 0)
        close(fd);
}
