/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the shim remembers. Everything is a word of its own, written by plain atomic stores, and
 * computed so that two threads which do it at once store the same: no locks, nothing to set up
 * again after fork, nothing that a child of vfork could leave half done.
 *
 * All of it fits into the rest of the data page, so that mapping the shim takes no call more than
 * mapping an empty library does.
 */
#ifndef CUA_STATE_H
#define CUA_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cua_phase {
    CUA_UNSTARTED, /* the start-up check has not run yet */
    CUA_AWAKE,
    CUA_ASLEEP, /* for ever: musl, raised privileges */
};

struct cua_state {
    _Atomic(int) phase;
    _Atomic(int) present;  /* an NVIDIA driver: 0 not looked, 1 yes, -1 no */
    _Atomic(bool) sysroot; /* CUARBITER_SYSROOT was set at start */
    _Atomic(bool) settled; /* a libcuda is mapped for good: looking into libraries is over */
    _Atomic(void *) dlopen, dlmopen; /* the next ones */
    _Atomic(const char *) self;      /* the shim's l_name */
    _Atomic(const char *) home;      /* its folder; NULL not known yet */
    _Atomic(const char *) library_path;
};

extern struct cua_state cua_state;

#define CUA_GET(field)        atomic_load_explicit(&cua_state.field, memory_order_acquire)
#define CUA_SET(field, value) atomic_store_explicit(&cua_state.field, (value), memory_order_release)

/* Is the shim to act in this process, and is there an NVIDIA driver? Finds out both if nobody has
 * yet: another library's constructor may call dlopen before the start-up check has run. */
bool cua_find_out(void);
bool cua_present(void);

static inline bool cua_acts(void)
{
    int present = CUA_GET(present);

    if (CUA_GET(phase) == CUA_AWAKE && present)
        return present > 0;
    return cua_find_out();
}

/* The shim's folder, absolute, without a slash at its end; NULL where it cannot be told. */
const char *cua_home(void);

/* The next dlopen and dlmopen; where there is none, a function that returns NULL. */
void *cua_next_dlopen(void);
void *cua_next_dlmopen(void);

/* Copies LD_LIBRARY_PATH as it was at start: programs that change their title write over the
 * environment's memory. */
void cua_remember_library_path(const char *value);

/* Names that need no second thought, by key (text.h). A small table that forgets: a key lies in its
 * own place or in that place's neighbour. */
#define CUA_SEEN 256
extern _Atomic(uint64_t) cua_seen_keys[CUA_SEEN];

static inline bool cua_seen(uint64_t key)
{
    size_t at = key % CUA_SEEN;

    return atomic_load_explicit(&cua_seen_keys[at], memory_order_relaxed) == key ||
           atomic_load_explicit(&cua_seen_keys[at ^ 1], memory_order_relaxed) == key;
}

void cua_see(uint64_t key);

/* The engine's final renamings; NULL: none kept. `path` must live for ever. */
const char *cua_kept(uint64_t key);
void cua_keep(uint64_t key, const char *path);

#endif
