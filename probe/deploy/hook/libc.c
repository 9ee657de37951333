/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/hook/libc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "deploy/hook/kernel.h"
#include "elf/file.h"

/* How many bytes of a libc.so.6 are read: its first 512 KiB contain the names of all its symbol
 * versions, such as GLIBC_2.17. */
#define LIBC_PART ((size_t)1 << 19)

struct libc_place {
    const char *libc, *lib;
};
#if defined(__x86_64__)
#define LOADER_32 "lib/ld-linux.so.2"
#define MULTIARCH "lib/x86_64-linux-gnu"
#else
#define LOADER_32 "lib/ld-linux-armhf.so.3"
#define MULTIARCH "lib/aarch64-linux-gnu"
#endif
/* Where distributions keep libc, and the value that ld.so there has for $LIB. The table `layouts`
 * in loader/ldso.c has the same. */
static const struct libc_place places[] = {
    {MULTIARCH "/libc.so.6", MULTIARCH},
    {"lib64/libc.so.6", "lib64"},
    {"usr/lib/libc.so.6", "lib"},
};

/* Reads at most the first `size` bytes of a regular file on the same mount as the container's root.
 * Returns how many bytes it has read; -1 if there is no such file or it cannot be read. Files on
 * other mounts are not opened: reading some, such as /proc/kmsg, consumes their content. */
static ssize_t head(const struct cua_root *root, const char *path, char *bytes, size_t size)
{
    int place = cua_open_inside(root->top, path, O_PATH, 0, CUA_INSIDE | CUA_ONE_MOUNT);
    ssize_t got = -1, all = 0;
    struct stat st;
    int fd = -1;

    if (place >= 0 && cua_fstat(place, &st) == 0 && S_ISREG(st.st_mode))
        fd = cua_open_again(place);
    while (fd >= 0 && (got = read(fd, bytes + all, size - (size_t)all)) > 0)
        all += got;
    if (fd >= 0)
        close(fd);
    if (place >= 0)
        close(place);
    return got < 0 ? -1 : all;
}

unsigned cua_newest_glibc(const char *bytes, size_t size)
{
    static const char prefix[] = "GLIBC_2.";
    const char *at = bytes, *end = bytes + size;
    unsigned newest = 0, minor;

    while ((at = memmem(at, (size_t)(end - at), prefix, sizeof(prefix) - 1))) {
        for (minor = 0, at += sizeof(prefix) - 1; at < end && *at >= '0' && *at <= '9'; at++)
            minor = minor < 1000 ? minor * 10 + (unsigned)(*at - '0') : minor;
        newest = minor > newest ? minor : newest;
    }
    return newest;
}

static bool is_own_elf(const char *bytes, ssize_t size)
{
    return size > 0 && cua_elf_glance(bytes, (uint64_t)size, cua_elf_own_machine()) == CUA_ELF_FINE;
}

int cua_root_libc(struct cua_root *root)
{
    char *bytes = malloc(LIBC_PART);
    const struct libc_place *found = NULL;
    ssize_t size;

    root->lib = NULL;
    root->why = "memory";
    if (!bytes)
        return -ENOMEM;
    size = head(root, CUA_HOOK_LOADER, bytes, 4096);
    bool fits = is_own_elf(bytes, size);
    for (size_t i = 0; fits && !found && i < sizeof(places) / sizeof(*places); i++) {
        size = head(root, places[i].libc, bytes, LIBC_PART);
        if (is_own_elf(bytes, size))
            found = &places[i];
    }
    root->libc = found ? cua_newest_glibc(bytes, (size_t)size) : 0;
    fits = root->libc >= 17;
    if (fits && head(root, LOADER_32, bytes, 64) > 0) {
        root->lib = found->lib;
        /* If /usr/lib has a 64-bit libc too, $LIB is lib: on Arch /lib64 is a link to /usr/lib, and
         * 32-bit libraries are in /usr/lib32. */
        if (strcmp(root->lib, "lib64") == 0 &&
            is_own_elf(bytes, head(root, "usr/lib/libc.so.6", bytes, 4096)))
            root->lib = "lib";
    }
    free(bytes);
    root->why =
        fits ? NULL : "it has no glibc 2.17 or later of this architecture at the usual paths";
    return fits ? 0 : -ENOEXEC;
}
