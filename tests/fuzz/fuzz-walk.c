/* SPDX-License-Identifier: Apache-2.0 */
/* Paths in another root, some of whose names are links: a path on the first line, then where each
 * link leads. Nothing outside that root is ever reached. */
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/subject.h"
#include "machine/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define LINKS 3

static char root[] = "/dev/shm/cuarbiter-fuzz-XXXXXX";
static const char *const names[] = {"/l", "/a/m", "/a/b/n", "/a/b/file", "/a/b", "/a", ""};

static char *place(const char *name)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s%s", root, name);
    return path;
}

static void remove_root(void)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        remove(place(names[i]));
}

static void make_root(void)
{
    if (!mkdtemp(root) || mkdir(place("/a"), 0755) || mkdir(place("/a/b"), 0755))
        abort();
    close(open(place("/a/b/file"), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    atexit(remove_root);
}

static void check(const char *path, bool last)
{
    char out[PATH_MAX], link[32], name[PATH_MAX];
    const struct cua_subject subject = {.sysroot = root};
    int fd = cua_walk(&subject, path, last, out);
    struct stat st;

    if (fd < 0)
        return;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, name, sizeof(name) - 1);
    name[length > 0 ? length : 0] = '\0';
    if (strcmp(name, out) != 0 || strncmp(out, root, strlen(root)) != 0 ||
        (out[strlen(root)] && out[strlen(root)] != '/') ||
        (last && (fstat(fd, &st) != 0 || S_ISLNK(st.st_mode))))
        abort();
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int before = open("/dev/null", O_RDONLY | O_CLOEXEC), after;
    char *text, *rest, *path, *target;

    close(before);
    if (memchr(bytes, 0, size))
        return 0;
    if (strstr(root, "XXXXXX"))
        make_root();
    text = rest = strndup((const char *)bytes, size);
    path = strsep(&rest, "\n");
    for (int i = 0; i < LINKS; i++) {
        remove(place(names[i]));
        target = strsep(&rest, "\n");
        if (target && *target && symlink(target, place(names[i])) != 0 && strlen(target) < PATH_MAX)
            abort();
    }
    check(path, true);
    check(path, false);
    free(text);
    after = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(after);
    if (after != before)
        abort();
    return 0;
}
