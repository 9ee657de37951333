/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says what the engine expects of ld.so and then lets ld.so do it:
 *   loader-oracle brings LIBRARY          which libcuda a dlopen of LIBRARY brings in
 *   loader-oracle busy LIBRARY FILE       the answer for it where descriptors run out at FILE
 *   loader-oracle fails NAME FILE         which file NAME is where FILE lies on a disk that fails
 *   loader-oracle mapped                  is a libcuda mapped?
 *   loader-oracle finds NAME [CALLER]     which file NAME is, as the program or as library CALLER,
 *                                         which exports `void *open_for_me(const char *)`
 * Prints `mapped=`, `said=`, or `expected=PATH actual=PATH`, empty where there is none. Exit 0
 * where they are the same file.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "own-objects.h"
#include "base/oldstat.h"
#include "loader/search.h"
#include "loader/closure.h"
#include "loader/mapped.h"
#include "machine/subject.h"

static struct cua_requester requester;
static const char *busy, *fails;

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags);

int __wrap_open64(const char *path, int flags)
{
    if (fails && strcmp(path, fails) == 0) {
        errno = EIO;
        return -1;
    }
    if (!busy || strcmp(path, busy) != 0)
        return __real_open64(path, flags, 0);
    errno = EMFILE;
    return -1;
}

static void print_libcuda(char *out)
{
    say_own_objects();
    cua_mapped_libcuda(out);
}

/* A handle of glibc is the link_map; dlinfo has no old version everywhere. */
static void print_map(void *handle, char *out)
{
    const struct link_map *map = handle;

    snprintf(out, PATH_MAX, "%s", map ? map->l_name : "");
}

static int same(const char *a, const char *b)
{
    struct stat x, y;

    if (!a[0] || !b[0])
        return !a[0] && !b[0];
    return cua_stat(a, &x) == 0 && cua_stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

int main(int argc, char **argv)
{
    const struct cua_subject subject = {.sysroot = "", .library_path = getenv("LD_LIBRARY_PATH")};
    char expected[PATH_MAX] = "", actual[PATH_MAX] = "";
    void *(*opener)(const char *) = NULL;
    void *symbol = NULL;
    char *needed[CUA_NEEDED + 1];

    say_own_objects();
    if (argc == 2 && strcmp(argv[1], "mapped") == 0) {
        printf("mapped=%d\n", cua_mapped_libcuda(actual));
        return 0;
    }
    if (argc < 3)
        return 2;
    if (strcmp(argv[1], "busy") == 0) {
        busy = argv[3];
        printf("said=%d\n", cua_loader_brings_libcuda(&subject, &requester, argv[2], expected, NULL,
                                                      needed, NULL, NULL));
        return 0;
    }
    if (strcmp(argv[1], "fails") == 0) {
        fails = argv[3];
        cua_requester_mapped(&requester, 0, argv[2]);
        printf("said=%d expected=", cua_loader_find(&subject, &requester, argv[2], expected, NULL));
        puts(expected);
        return 0;
    }
    if (argc > 3) {
        void *caller = dlopen(argv[3], RTLD_NOW);
        symbol = caller ? dlsym(caller, "open_for_me") : NULL;
        if (!symbol) {
            printf("no caller: %s\n", dlerror());
            return 2;
        }
        memcpy(&opener, &symbol, sizeof opener);
        say_own_objects();
        cua_requester_mapped(&requester, own_object_at(symbol), argv[2]);
    } else {
        cua_requester_mapped(&requester, 0, argv[2]);
    }
    if (strcmp(argv[1], "brings") == 0) {
        cua_loader_brings_libcuda(&subject, &requester, argv[2], expected, NULL, needed, NULL,
                                  NULL);
        if (opener)
            opener(argv[2]);
        else
            dlopen(argv[2], RTLD_LAZY);
        print_libcuda(actual);
    } else {
        cua_loader_find(&subject, &requester, argv[2], expected, NULL);
        print_map(opener ? opener(argv[2]) : dlopen(argv[2], RTLD_LAZY), actual);
    }
    printf("expected=%s actual=%s\n", expected, actual);
    return !same(expected, actual);
}
