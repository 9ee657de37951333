/* SPDX-License-Identifier: Apache-2.0 */
/* A running process, by /proc: the libraries that matter here. */
#ifndef CUA_RUNNING_H
#define CUA_RUNNING_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "machine/subject.h"

enum cua_mapped_kind {
    CUA_MAPPED_LIBCUDA,
    CUA_MAPPED_COMPANION,
    CUA_MAPPED_BOUND,
    CUA_MAPPED_SHIM,
    CUA_MAPPED_ENGINE,
};

/* Its word, for text and JSON. */
const char *cua_word_mapped(enum cua_mapped_kind kind);

struct cua_running_file {
    enum cua_mapped_kind kind;
    char *path; /* as the process names it */
    bool gone;  /* deleted or replaced since */
};

struct cua_running {
    pid_t pid; /* 0: this one */
    char name[32];
    char exe[PATH_MAX];       /* "" where it is not known */
    struct cua_subject place; /* where its files are read */
    const char *preload;      /* LD_PRELOAD; NULL not set */
    char preload_file[256];   /* the shim's entry in /etc/ld.so.preload; "" */
    struct cua_running_file *mapped;
    size_t mapped_count;
};

/* The process of the subject, whose strings it keeps. 0 or -errno; to be freed either way. */
int cua_running_read(struct cua_running *running, const struct cua_subject *subject);
void cua_running_free(struct cua_running *running);

/* The first of a kind, NULL if none is mapped. */
const struct cua_running_file *cua_running_find(const struct cua_running *running,
                                                enum cua_mapped_kind kind);

/* Whether LD_PRELOAD names the shim. */
bool cua_running_preloads(const struct cua_running *running);

/* The shim's entry in the subject's /etc/ld.so.preload, "" if there is none. */
void cua_preload_file(const struct cua_subject *subject, char *entry, size_t size);

/* The version of a library of cuarbiter; "" if none. */
void cua_ident_read(const struct cua_subject *subject, const char *path, char *version,
                    size_t size);

#endif
