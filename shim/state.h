/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the shim knows of its process. Everything is a word of its own, written by plain atomic
 * stores, and computed so that two threads which do it at once store the same: no locks, nothing to
 * set up again after fork, nothing that a child of vfork could leave half done.
 *
 * All of it fits into the rest of the data page, so that mapping the shim takes no call more than
 * mapping an empty library does.
 */
#ifndef CUA_STATE_H
#define CUA_STATE_H

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int cua_iterate(int (*visit)(struct dl_phdr_info *, size_t, void *), void *arg);

enum cua_phase {
    CUA_UNSTARTED, /* the start-up check has not run yet */
    CUA_AWAKE,
    CUA_ASLEEP, /* for ever: every request passes through */
};

struct cua_state {
    _Atomic(int) phase;
    _Atomic(int) present;   /* an NVIDIA driver: 0 not known, 1 yes, -1 no */
    _Atomic(bool) off;      /* CUARBITER_POLICY=off at start */
    _Atomic(bool) sysroot;  /* CUARBITER_SYSROOT was set at start */
    _Atomic(bool) answered; /* the engine was asked about libcuda */
    _Atomic(bool) settled;  /* a libcuda is mapped for good: looking into libraries is over */
    _Atomic(const struct link_map *) objects, last; /* the first loaded object, the last at start */
    _Atomic(const struct link_map *) libc;
    _Atomic(cua_iterate *) iterate;  /* libc's own dl_iterate_phdr */
    _Atomic(void *) dlopen, dlmopen; /* the next ones */
    _Atomic(const char *) self;      /* the shim's l_name */
    _Atomic(const char *) home;      /* its folder; NULL not known yet */
    _Atomic(const char *) library_path;
};

extern struct cua_state cua_state;

#define CUA_GET(field)        atomic_load_explicit(&cua_state.field, memory_order_acquire)
#define CUA_SET(field, value) atomic_store_explicit(&cua_state.field, (value), memory_order_release)

/* Finds out whether the shim is to act, in a process that it came to by dlopen, or whose other
 * libraries' constructors call dlopen before the start-up check. */
void cua_begin_late(void);

/* Is the shim to act in this process? */
static inline bool cua_awake(void)
{
    if (CUA_GET(phase) == CUA_UNSTARTED)
        cua_begin_late();
    return CUA_GET(phase) == CUA_AWAKE && CUA_GET(present) >= 0;
}

/* Is there an NVIDIA driver, and does nobody say off? Where that cannot be asked (a sandbox, no
 * descriptors left), false for this time. */
bool cua_present(void);

/* The shim's folder, absolute, without a slash at its end; NULL where it cannot be told. */
const char *cua_home(void);

/* Copies LD_LIBRARY_PATH: programs that change their title write over the environment's memory, and
 * others take back what they put there. */
void cua_remember_library_path(const char *value);

#endif
