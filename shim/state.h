/* SPDX-License-Identifier: Apache-2.0 */
/* What the shim knows of its process. Each field is at most one word, set by one atomic store. Two
 * threads that compute a field at once store equally good values, such as the addresses of two
 * copies of one text. So there is no lock, and nothing to set up again after fork. A child of vfork
 * cannot leave a field half written.
 *
 * All of the shim's variables fit into the rest of the last page of its data. So mapping the shim
 * takes no more system calls than mapping a library without variables. */
#ifndef CUA_STATE_H
#define CUA_STATE_H

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cua_phase {
    CUA_UNSTARTED, /* not decided yet whether the shim acts */
    CUA_AWAKE,
    CUA_ASLEEP, /* final: every request passes through unchanged */
};

struct cua_state {
    _Atomic(int) phase;
    _Atomic(int) present;  /* the result of cua_present: 1 true, -1 false, 0 not known yet */
    _Atomic(bool) off;     /* CUARBITER_POLICY was "off" at start */
    _Atomic(bool) sysroot; /* CUARBITER_SYSROOT was set at start, and not empty */
    /* dlopen may have loaded a libcuda: the program has requested one, or a library that may need
     * one. Also true if a libcuda was loaded when cua_begin_late decided. (If the start-up check
     * decides, a libcuda that the program is linked with sets `settled` instead.) */
    _Atomic(bool) given;
    /* seen: a libcuda was found loaded (is_there in pick.c). unloaded: after that, none was
     * found. */
    _Atomic(bool) seen, unloaded;
    /* A libcuda is mapped for good, so libraries are no longer checked for a need of libcuda. */
    _Atomic(bool) settled;
    /* The first object of ld.so's list; NULL: not found yet. */
    _Atomic(const struct link_map *) objects;
    _Atomic(const struct link_map *) last; /* the last object that counts as never unloaded */
    _Atomic(const struct link_map *) libc;
    /* The auxiliary vector; NULL: not read, for example because the shim was loaded by dlopen. */
    _Atomic(ElfW(auxv_t) *) vector;
    /* The functions to which the shim's dlopen and dlmopen pass calls on; NULL: not found yet. */
    _Atomic(void *) dlopen, dlmopen;
    _Atomic(const char *) self; /* the shim's l_name; NULL: not known */
    _Atomic(const char *) home; /* the shim's folder; NULL: not known yet */
    /* A copy of LD_LIBRARY_PATH; NULL: not set, or there was no memory. */
    _Atomic(const char *) library_path;
};

extern struct cua_state cua_state;

#define CUA_GET(field)        atomic_load_explicit(&cua_state.field, memory_order_acquire)
#define CUA_SET(field, value) atomic_store_explicit(&cua_state.field, (value), memory_order_release)

/* Whether the answerer (a program, ask.h) has anything to decide. The first case that applies
 * counts:
 * - CUARBITER_SYSROOT (a folder with the system files of another machine) is set and not empty:
 *   true.
 * - CUARBITER_POLICY is off, and there is certainly no settings file that could override it
 *   (CUA_FILE_SITE and CUA_FILE_SITE_NODE in names.h): false.
 * - Otherwise: whether NVIDIA's kernel driver shows in /proc, /dev or /sys, or this is WSL
 *   (/dev/dxg, whatever the GPU). If that cannot be found out now (in a sandbox, or without
 *   descriptors), returns false, but the next call looks again. */
bool cua_present(void);

/* The shim's folder: absolute, without a slash at its end (unless it is "/"), never freed. At the
 * offset CUA_ANSWERER_AT the same memory holds the path of the answerer, at CUA_SHIM_AT that of the
 * shim. NULL if the folder is not known or its path is too long, or if there is no memory. */
#define CUA_ANSWERER_AT 8192
#define CUA_SHIM_AT     16384
const char *cua_folder(void);

/* Stores a copy of LD_LIBRARY_PATH in `library_path`. The environment's memory does not last:
 * programs that set their process title overwrite it, and others free what they have put there. */
void cua_remember_library_path(const char *value);

#endif
