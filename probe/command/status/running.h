/* SPDX-License-Identifier: Apache-2.0 */
/* Examines a running process through /proc: whether it has mapped the shim, and which libraries of
 * NVIDIA's driver. Shim: libcuarbiter.so, which LD_PRELOAD or /etc/ld.so.preload names. Subject
 * (machine/subject.h): the process, with its environment and its root. */
#ifndef CUA_RUNNING_H
#define CUA_RUNNING_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "command/unreached.h"
#include "machine/subject.h"

enum cua_mapped_kind {
    CUA_MAPPED_LIBCUDA,
    CUA_MAPPED_COMPANION,
    CUA_MAPPED_BOUND,
    CUA_MAPPED_SHIM,
};

/* The word for a kind, for text and JSON. */
const char *cua_word_mapped(enum cua_mapped_kind kind);

struct cua_running_file {
    enum cua_mapped_kind kind;
    char *path; /* its path, as the process names it */
    bool gone;  /* deleted or replaced since it was mapped */
};

struct cua_running {
    pid_t pid; /* 0: this process */
    char name[32];
    char exe[PATH_MAX];       /* path of its program; "": not known */
    struct cua_subject place; /* the subject to open its files with */
    const char *preload;      /* its LD_PRELOAD; NULL: not set */
    char preload_file[256];   /* the shim's entry in its /etc/ld.so.preload; "": none */
    struct cua_running_file *mapped;
    size_t mapped_count;
    /* for another process: why the shim does nothing in it; CUA_REACHABLE: no reason is known */
    enum cua_unreached absent;
};

/* Examines the subject's process. `running` then points into the subject's strings, and must be
 * freed even after an error. Returns 0 or -errno. */
int cua_running_read(struct cua_running *running, const struct cua_subject *subject);
void cua_running_free(struct cua_running *running);

/* The first mapped file of a kind; NULL if there is none. */
const struct cua_running_file *cua_running_find(const struct cua_running *running,
                                                enum cua_mapped_kind kind);

/* Whether the process's LD_PRELOAD names the shim, that is, a file libcuarbiter.so in any
 * folder. */
bool cua_running_preloads(const struct cua_running *running);

/* Writes the shim's entry in the subject's /etc/ld.so.preload to `entry`; "" if there is none, or
 * it does not fit. */
void cua_preload_file(const struct cua_subject *subject, char *entry, size_t size);

/* The mark that the shim and the answerer contain (cuarbiter/ident.h). A field is "" if the file
 * lacks that part of the mark. */
struct cua_ident_read {
    char what[16]; /* which file it is, such as "shim" or "answerer" */
    char version[64];
    char frame[16];
};

void cua_ident_read(const struct cua_subject *subject, const char *path,
                    struct cua_ident_read *ident);

#endif
