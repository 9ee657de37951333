/* SPDX-License-Identifier: Apache-2.0 */
/* What the shim knows of its process. Each field is one word, set by one atomic store; two threads
 * that compute it at once store the same. So there is no lock, nothing to set up again after fork,
 * and nothing that a child of vfork could leave half done.
 *
 * The whole state fits into the rest of the shim's data page, so that mapping the shim takes no
 * more system calls than mapping an empty library. */
#ifndef CUA_STATE_H
#define CUA_STATE_H

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cua_phase {
    CUA_UNSTARTED, /* the start-up check has not run yet */
    CUA_AWAKE,
    CUA_ASLEEP, /* final: every request passes through unchanged */
};

struct cua_state {
    _Atomic(int) phase;
    _Atomic(int) present;  /* whether there is an NVIDIA driver: 0 not known, 1 yes, -1 no */
    _Atomic(bool) off;     /* CUARBITER_POLICY was off at start */
    _Atomic(bool) sysroot; /* CUARBITER_SYSROOT was set at start */
    /* A libcuda was opened for the program, which may have unloaded it since. */
    _Atomic(bool) given;
    _Atomic(bool) seen, unloaded; /* that libcuda was found loaded, and later unloaded */
    _Atomic(bool) settled;        /* a libcuda is mapped and stays: libraries need no more checks */
    /* The first object of ld.so's list; NULL: not found yet. */
    _Atomic(const struct link_map *) objects;
    _Atomic(const struct link_map *) last; /* the last object that is never unloaded */
    _Atomic(const struct link_map *) libc;
    _Atomic(ElfW(auxv_t) *) vector;  /* the auxiliary vector; NULL: the shim was loaded by dlopen */
    _Atomic(void *) dlopen, dlmopen; /* the next functions of these names after the shim's */
    _Atomic(const char *) self;      /* the shim's l_name */
    _Atomic(const char *) home;      /* the shim's folder; NULL: not known yet */
    _Atomic(const char *) library_path;
};

extern struct cua_state cua_state;

#define CUA_GET(field)        atomic_load_explicit(&cua_state.field, memory_order_acquire)
#define CUA_SET(field, value) atomic_store_explicit(&cua_state.field, (value), memory_order_release)

/* Whether there is an NVIDIA driver and the policy is not off. False, for this call only, if that
 * cannot be found out now (a sandbox, no descriptors left). */
bool cua_present(void);

/* The shim's folder: absolute, without a slash at its end. The same memory holds the answerer's
 * path at CUA_ANSWERER_AT and the shim's at CUA_SHIM_AT. NULL if the folder is not known. */
#define CUA_ANSWERER_AT 8192
#define CUA_SHIM_AT     16384
const char *cua_folder(void);

/* Copies LD_LIBRARY_PATH, because programs that set their process title overwrite the environment's
 * memory, and others free what they put there. */
void cua_remember_library_path(const char *value);

#endif
