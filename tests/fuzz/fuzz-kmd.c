/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/driver/nvidia/version, and /sys/module/nvidia/version with the same text. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/version.h"
#include "facts/facts.h"
#include "facts/kmd.h"
#include "machine/subject.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static char root[] = "/dev/shm/cuarbiter-fuzz-XXXXXX";

static void remove_root(void)
{
    static const char *const paths[] = {"/proc/driver/nvidia/version",
                                        "/proc/driver/nvidia",
                                        "/proc/driver",
                                        "/proc",
                                        "/sys/module/nvidia/version",
                                        "/sys/module/nvidia",
                                        "/sys/module",
                                        "/sys",
                                        ""};
    char path[128];

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        snprintf(path, sizeof path, "%s%s", root, paths[i]);
        remove(path);
    }
}

static void put(const char *file, const uint8_t *bytes, size_t size)
{
    char path[128];
    int fd;

    snprintf(path, sizeof path, "%s%s", root, file);
    for (char *slash = path + sizeof root; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(path, 0755);
        *slash = '/';
    }
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct cua_subject subject = {.sysroot = root};
    static bool made;
    struct cua_kmd kmd;

    if (!made) {
        if (!mkdtemp(root))
            abort();
        atexit(remove_root);
    }
    made = true;
    put("/proc/driver/nvidia/version", bytes, size);
    put("/sys/module/nvidia/version", bytes, size);
    cua_kmd_gather(&kmd, &subject);
    if (kmd.platform == CUA_PLATFORM_NONE ||
        cua_version_known(&kmd.version) == (kmd.trouble[0] != 0))
        abort();
    return 0;
}
