/* SPDX-License-Identifier: Apache-2.0 */
/* The shim's search for a name: LD_LIBRARY_PATH, also as the search paths of the library that needs
 * it, on the first line, the name on the second, then ld.so.cache. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#pragma clang attribute push(__attribute__((no_sanitize("address"))), apply_to = function)
#include "shim/text.c"
#pragma clang attribute pop
#include "shim-calls.h"
static int open_instead(const char *path);
#define cua_sys_open open_instead
#include "shim/libpath.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct cua_state cua_state;
static const char *name;

const struct link_map *cua_objects(void)
{
    return NULL;
}

const char *cua_object_text(const struct link_map *object, ElfW(Sxword) tag)
{
    (void)object, (void)tag;
    return NULL;
}

/* Nothing is there in the folders; what the cache says is. */
static int open_instead(const char *path)
{
    size_t length = strlen(path), tail = strlen(name);

    if (path[0] == '/' && length > tail && path[length - tail - 1] == '/' &&
        !strcmp(path + length - tail, name) && length % 2)
        return -ENOENT;
    return 4711;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const uint8_t *first = memchr(bytes, '\n', size), *second;
    static struct cua_libpath libpath;
    struct cua_paths paths = {.origin = "/origin/x", .length = 7};
    char *list, *wanted, *cache;

    if (!first || !(second = memchr(first + 1, '\n', size - (size_t)(first + 1 - bytes))))
        return 0;
    list = strndup((const char *)bytes, (size_t)(first - bytes));
    name = wanted = strndup((const char *)first + 1, (size_t)(second - first - 1));
    libpath.size = size - (size_t)(second + 1 - bytes);
    libpath.kept = true;
    libpath.cache = cache = malloc(libpath.size + !libpath.size);
    memcpy(cache, second + 1, libpath.size);
    CUA_SET(library_path, list);
    int fd = cua_libpath_open(&libpath, &paths, wanted);
    if (fd == 0 || (fd > 0 && fd != 4711))
        abort();
    CUA_SET(library_path, NULL);
    paths.rpath = list;
    if (cua_libpath_open(&libpath, &paths, wanted) == 0)
        abort();
    paths.runpath = list;
    if (cua_libpath_open(&libpath, &paths, wanted) == 0)
        abort();
    free(cache);
    free(wanted);
    free(list);
    return 0;
}
