/* SPDX-License-Identifier: Apache-2.0 */
#include "brings.h"
#include "mapped.h"
#include "needs.h"
#include "libpath.h"
#include "syscalls.h"
#include "text.h"

static bool has_token(const char *path)
{
    while (*path && *path != '$')
        path++;
    return *path;
}

/* Names that are not mapped are looked for and into, until there are no more. In a frame of its
 * own, which is gone before anybody is asked: threads have small stacks. */
static __attribute__((noinline)) enum cua_look look_into(struct cua_libpath *libpath, int fd)
{
    struct cua_needs needs;
    const char *name = needs.text;
    size_t done = 0, known = 0;
    enum cua_look result;

    needs.used = needs.count = 0;
    needs.has_paths = false;
    result = cua_needs_add(&needs, fd);
    for (; result == CUA_LOOK_DONE && done < needs.count; done++, name += cua_length(name) + 1) {
        if (done == known) {
            cua_mapped_all(needs.key + known, needs.count - known);
            known = needs.count;
        }
        if (!needs.key[done])
            continue;
        fd = -1;
        if (!needs.has_paths && !cua_starts(name, "libcuda.so"))
            fd = cua_libpath_open(libpath, name);
        if (fd < 0 || cua_needs_add(&needs, fd) != CUA_LOOK_DONE)
            result = CUA_LOOK_SHORT;
    }
    return result;
}

enum cua_look cua_brings(const char *path, bool is_name)
{
    struct cua_libpath libpath = {NULL, 0};
    enum cua_look result = is_name ? CUA_LOOK_SHORT : CUA_LOOK_NONE;
    int fd;

    if (has_token(path))
        return CUA_LOOK_SHORT;
    fd = is_name ? cua_libpath_open(&libpath, path) : cua_sys_open(path);
    if (fd >= 0)
        result = look_into(&libpath, fd);
    cua_libpath_end(&libpath);
    return result == CUA_LOOK_NONE && is_name ? CUA_LOOK_SHORT : result;
}
