/* SPDX-License-Identifier: Apache-2.0 */
/* What the shim knows of its process. Each field is one word, set by one atomic store; two threads
 * that compute it at once store the same. So there is no lock, nothing to set up again after fork,
 * and nothing that a child of vfork could leave half done.
 *
 * All of it fits into the rest of the data page, so that mapping the shim takes no more system
 * calls than mapping an empty library. */
#ifndef CUA_STATE_H
#define CUA_STATE_H

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int cua_visit(struct dl_phdr_info *object, size_t size, void *arg);
typedef int cua_iterate(cua_visit *visit, void *arg);

enum cua_phase {
    CUA_UNSTARTED, /* the start-up check has not run yet */
    CUA_WAITING,   /* for the constructors of others (company.h): requests pass through */
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
    _Atomic(const struct link_map *) objects; /* the first loaded object */
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

/* Decides the phase where the start-up check has not: the shim came by dlopen, or another library's
 * constructor calls dlopen before the check. */
void cua_begin_late(void);

/* Does the shim act in this process? */
static inline bool cua_awake(void)
{
    if (CUA_GET(phase) == CUA_UNSTARTED)
        cua_begin_late();
    return CUA_GET(phase) == CUA_AWAKE && CUA_GET(present) >= 0;
}

/* How many looks for the driver and questions to the engine may be under way in all threads. Both
 * call foreign code, hooks of open and of malloc. At the limit such a hook has come back to us
 * again and again, and its request passes through. Looks, on the caller's stack, get less. */
#define CUA_MOST_LOOKS     64
#define CUA_MOST_QUESTIONS 1024

/* Is there an NVIDIA driver, and is the policy not off? Where that cannot be found out now (a
 * sandbox, no descriptors left), false for this call only. */
bool cua_present(void);

/* The shim's folder, absolute, without a slash at its end, and behind it, at CUA_ENGINE_AT, the
 * path of the engine; NULL where it is not known. */
#define CUA_ENGINE_AT 8192
const char *cua_folder(void);

/* Copies LD_LIBRARY_PATH: programs that set their process title overwrite the environment's memory,
 * and others free what they put there. */
void cua_remember_library_path(const char *value);

#endif
