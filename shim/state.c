/* SPDX-License-Identifier: Apache-2.0 */
/* Determines three values of state.h: the copy of LD_LIBRARY_PATH, whether there is anything to
 * decide (cua_present), and the shim's folder. */
#include <errno.h>

#include "cuarbiter/names.h"

#include "state.h"
#include "syscalls.h"
#include "text.h"

#define PAGE 4096

struct cua_state cua_state;

static char library_path[512];

void cua_remember_library_path(const char *value)
{
    size_t size = cua_length(value) + 1;
    char *copy = size <= sizeof(library_path) ? library_path : cua_sys_map(size);

    if (copy)
        cua_mempcpy(copy, value, size);
    CUA_SET(library_path, copy);
}

/* Whether a file exists. 1: yes; -1: no; 0: it cannot be found out now. Uses openat: from glibc
 * 2.26 on, a sandbox in which ld.so can load libraries has to allow it. */
static int look_for(const char *path)
{
    long fd = cua_syscall(SYS_openat, AT_FDCWD, (long)path, O_PATH | O_CLOEXEC, 0, 0, 0);

    cua_sys_close((int)fd);
    return fd >= 0 ? 1 : fd == -ENOENT || fd == -ENOTDIR ? -1 : 0;
}

bool cua_present(void)
{
    /* The last one is all that a Jetson before Orin has. */
    static const char places[][20] = {"/proc/driver/nvidia", "/dev/nvidiactl", "/dev/dxg",
                                      "/sys/module/nvgpu"};
    int present = CUA_GET(present), found;
    size_t i;

    if (present)
        return present > 0;
    if (CUA_GET(sysroot)) {
        present = 1;
    } else if (CUA_GET(off) && look_for(CUA_FILE_SITE) < 0 && look_for(CUA_FILE_SITE_NODE) < 0) {
        present = -1;
    } else {
        for (present = -1, i = 0; i < sizeof(places) / sizeof(*places) && present < 1; i++) {
            found = look_for(places[i]);
            present = found < 0 ? present : found;
        }
    }
    CUA_SET(present, present);
    return present > 0;
}

const char *cua_folder(void)
{
    const char *home = CUA_GET(home), *self = CUA_GET(self);
    size_t length;
    long cwd = 0;
    char *page, *end;

    if (home || !self)
        return home;
    page = cua_sys_map(3 * CUA_ANSWERER_AT);
    if (page && *self != '/') {
        cwd = cua_syscall(SYS_getcwd, (long)page, PAGE, 0, 0, 0, 0);
        if (cwd > 0)
            page[cwd - 1] = '/';
    }
    length = (size_t)(cua_file(self) - self);
    /* Gives up if there is no memory, if the path is too long, or if the current folder is not
     * known (then getcwd fails, or its result begins with "(unreachable)"). A relative path is then
     * forgotten for good, because the current folder may be another one at the next call. */
    if (!page || *page == '(' || cwd < 0 || (size_t)cwd + length >= PAGE) {
        cua_sys_unmap(page, 3 * CUA_ANSWERER_AT);
        if (*self != '/')
            CUA_SET(self, NULL);
        return NULL;
    }
    length = (size_t)(cua_mempcpy(page + cwd, self, length) - page);
    page[length > 1 ? length - 1 : length] = 0;
    end = cua_mempcpy(page + CUA_ANSWERER_AT, page, cua_length(page));
    *end++ = '/';
    cua_mempcpy(end, CUA_FILE_ANSWERER, sizeof(CUA_FILE_ANSWERER));
    end = cua_mempcpy(page + CUA_SHIM_AT, page, cua_length(page));
    *end++ = '/';
    cua_mempcpy(end, cua_file(self), cua_length(cua_file(self)));
    CUA_SET(home, page);
    return page;
}
