/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out what state.h keeps: environment, driver, folder. */
#include <errno.h>
#include <pthread.h>

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

/* 1: it is there; -1: it is not; 0: unknown for now. Asks through libc: where a preload library
 * shows the program another machine (fakechroot, a stand-in for the driver), that machine counts,
 * as it does for the engine and for libcuda. By openat, because no sandbox in which libraries can
 * be loaded forbids it. */
static int look_for(const char *path)
{
    int fd = openat(AT_FDCWD, path, O_PATH | O_CLOEXEC);

    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? -1 : 0;
    cua_sys_close(fd);
    return 1;
}

bool cua_present(void)
{
    static _Atomic(int) looking;
    static const char places[][20] = {"/proc/driver/nvidia", "/dev/nvidiactl", "/dev/dxg"};
    int present = CUA_GET(present), kept = errno, cancelled, found;
    size_t i;

    if (present)
        return present > 0;
    if (atomic_fetch_add(&looking, 1) >= CUA_MOST_LOOKS) {
        atomic_fetch_sub(&looking, 1);
        return false;
    }
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled); /* dlopen is no such point */
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
    pthread_setcancelstate(cancelled, NULL);
    atomic_fetch_sub(&looking, 1);
    errno = kept;
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
    length = (size_t)(cua_file(self) - self);
    page = length < PAGE ? cua_sys_map(2 * CUA_ENGINE_AT) : NULL;
    if (page && *self != '/') {
        cwd = cua_syscall(SYS_getcwd, (long)page, PAGE, 0, 0, 0, 0);
        if (cwd <= 0 || *page != '/')
            return NULL;
        page[cwd - 1] = '/';
    }
    if (!page)
        return NULL;
    length = (size_t)(cua_mempcpy(page + cwd, self, length) - page);
    page[length > 1 ? length - 1 : length] = 0;
    end = cua_mempcpy(page + CUA_ENGINE_AT, page, cua_length(page));
    *end++ = '/';
    cua_mempcpy(end, CUA_FILE_ENGINE, sizeof(CUA_FILE_ENGINE));
    CUA_SET(home, page);
    return page;
}
