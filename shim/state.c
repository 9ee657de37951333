/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cuarbiter/names.h"

#include "objects.h"
#include "state.h"
#include "syscalls.h"
#include "text.h"

#define PAGE 4096

struct cua_state cua_state;

static char library_path[1024];

void cua_remember_library_path(const char *value)
{
    size_t size = cua_length(value) + 1;
    char *copy = size <= sizeof(library_path) ? library_path : cua_sys_map(size);

    if (copy)
        cua_put(copy, value, size);
    CUA_SET(library_path, copy ? copy : value);
}

/* Before the start-up check, or in a shim that came by dlopen: libc is set up, so it can be asked.
 * It is asked behind the program's back, because some programs bring a getenv of their own. */
static int begin_late(void)
{
    struct cua_survey survey;
    unsigned long (*auxval)(unsigned long);
    char *(*environment)(const char *);
    const char *value;

    cua_survey(&survey);
    CUA_SET(self, survey.self);
    if (!survey.libc_before && !survey.libc_behind)
        return CUA_ASLEEP;
    auxval = (unsigned long (*)(unsigned long))cua_object_libc_symbol("getauxval");
    environment = (char *(*)(const char *))cua_object_libc_symbol("getenv");
    if (!auxval || !environment || auxval(AT_SECURE))
        return CUA_ASLEEP;
    value = environment(CUA_ENV_SYSROOT);
    CUA_SET(sysroot, value && *value);
    CUA_SET(library_path, environment("LD_LIBRARY_PATH"));
    return CUA_AWAKE;
}

bool cua_find_out(void)
{
    if (CUA_GET(phase) == CUA_UNSTARTED)
        CUA_SET(phase, begin_late());
    return CUA_GET(phase) == CUA_AWAKE && cua_present();
}

bool cua_present(void)
{
    int present = CUA_GET(present), kept;

    if (!present) {
        /* Through libc, once a process: where a preload library puts another machine in front of
         * the program (fakechroot, a stand-in for the driver), that machine is the one that
         * counts, as it does for the engine and for libcuda. */
        kept = errno;
        present = CUA_GET(sysroot) || access("/proc/driver/nvidia", F_OK) == 0 ||
                          access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0
                      ? 1
                      : -1;
        errno = kept;
        CUA_SET(present, present);
    }
    return present > 0;
}

const char *cua_home(void)
{
    static char usual[512];
    const char *home = CUA_GET(home), *self = CUA_GET(self);
    size_t length;
    long cwd = 0;
    char *page;

    if (home || !self)
        return home;
    length = (size_t)(cua_file(self, cua_length(self)) - self);
    if (*self == '/' && length > 1 && length <= sizeof(usual)) {
        /* Threads that come here at once write the same bytes. */
        cua_put(usual, self, length - 1);
        CUA_SET(home, usual);
        return usual;
    }
    page = cua_sys_map(2 * PAGE);
    if (!page || length >= PAGE)
        return NULL;
    if (*self != '/') {
        cwd = cua_sys_getcwd(page, PAGE);
        if (cwd <= 0 || *page != '/')
            return NULL;
        page[cwd - 1] = '/';
    }
    cua_put(page + cwd, self, length);
    length += (size_t)cwd;
    page[length > 1 ? length - 1 : length] = 0;
    CUA_SET(home, page);
    return page;
}

/* ---- the next dlopen ------------------------------------------------------------------------- */

/* A program on glibc before 2.34 that does not load libdl has no dlopen, and its weak references
 * to one are NULL without the shim. With it they lead here. That something cannot be opened is an
 * answer which every caller of dlopen is prepared for; libc's private __libc_dlopen_mode would
 * open it, but then there is no dlsym to use it with. */
static void *no_dlopen(void)
{
    return NULL;
}

static void find_next(void)
{
    struct cua_next next;

    cua_object_next(&next);
    CUA_SET(dlmopen, next.dlmopen);
    CUA_SET(dlopen, next.dlopen);
}

void *cua_next_dlopen(void)
{
    void *next = CUA_GET(dlopen);

    if (!next) {
        find_next();
        next = CUA_GET(dlopen);
    }
    return next ? next : (void *)no_dlopen;
}

void *cua_next_dlmopen(void)
{
    void *next = CUA_GET(dlmopen);

    if (!next) {
        find_next();
        next = CUA_GET(dlmopen);
    }
    return next ? next : (void *)no_dlopen;
}

/* ---- tables ---------------------------------------------------------------------------------- */

_Atomic(uint64_t) cua_seen_keys[CUA_SEEN];

void cua_see(uint64_t key)
{
    size_t at = key % CUA_SEEN;
    uint64_t old = atomic_load_explicit(&cua_seen_keys[at], memory_order_relaxed);

    if (old == key)
        return;
    atomic_store_explicit(&cua_seen_keys[at], key, memory_order_relaxed);
    /* The newcomer takes the first place, the old one moves over. */
    if (old)
        atomic_store_explicit(&cua_seen_keys[at ^ 1], old, memory_order_relaxed);
}

#define KEPT 16

static struct {
    _Atomic(uint64_t) key; /* 0 free, 1 being written */
    const char *path;
} kept[KEPT];

const char *cua_kept(uint64_t key)
{
    size_t i;

    for (i = 0; i < KEPT; i++)
        if (atomic_load_explicit(&kept[i].key, memory_order_acquire) == key)
            return kept[i].path;
    return NULL;
}

void cua_keep(uint64_t key, const char *path)
{
    uint64_t none;
    size_t i;

    if (cua_kept(key))
        return;
    for (i = 0; i < KEPT; i++) {
        none = 0;
        if (atomic_compare_exchange_strong(&kept[i].key, &none, 1)) {
            kept[i].path = path;
            atomic_store_explicit(&kept[i].key, key, memory_order_release);
            return;
        }
    }
}
