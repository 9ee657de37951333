/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose facts: the environment and the root of the file system of the process that is looked at:
 * this one, another one, one in an unpacked image. Every path that is a system fact goes through a
 * subject, so that what-if and the tests see the machine that they describe and nothing of the
 * machine that they run on. What a subject says is never obeyed: settings.h has whose words count.
 */
#ifndef CUA_SUBJECT_H
#define CUA_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Folders that were walked and are no links, and paths where there was nothing. It lives as long as
 * one question takes: what changes meanwhile is seen by the next one. `count` is 0 at first. */
#define CUA_WALKED 24
struct cua_walked {
    struct {
        unsigned short length;
        bool missing;
        char path[244];
    } entry[CUA_WALKED];
    unsigned count, next;
};

struct cua_subject {
    const char *sysroot;       /* "" or an absolute path without a slash at its end */
    char *const *env;          /* NULL: the process's environ */
    const char *library_path;  /* LD_LIBRARY_PATH as ld.so goes by it; NULL: not set */
    pid_t pid;                 /* 0: this process; else its /proc/PID is read */
    bool whatif;               /* an unpacked image, or a machine that is only described */
    struct cua_walked *walked; /* NULL: every walk looks at every folder anew */
    char *owned;               /* what cua_subject_of_process read */
};

/* This process, its root and nothing else of it. */
extern const struct cua_subject cua_here;

/* Whether it is this very process: of any other nothing is loaded, executed or connected to. */
static inline bool cua_subject_is_own(const struct cua_subject *subject)
{
    return !subject->pid && !subject->whatif;
}

/* Value of a variable in the subject's environment, or NULL. Belongs to the environment. */
const char *cua_subject_env(const struct cua_subject *subject, const char *name);

/* Resolves `path` as a process whose root is the sysroot would, every link inside the sysroot, at
 * most 40 of them. `out` (PATH_MAX bytes) receives a path without links that this process can open
 * (sysroot included). Without a sysroot: realpath without allocation. 0 or -errno. */
int cua_subject_resolve(const struct cua_subject *subject, const char *path, char *out);

/* Strips the sysroot off a path that cua_subject_resolve gave. Points into `real`. */
const char *cua_subject_inside(const struct cua_subject *subject, const char *real);

/* open(2) of a system fact for reading: O_CLOEXEC, O_NONBLOCK (a FIFO never blocks), regular files
 * and /proc only, else -EINVAL. Returns a descriptor or -errno. */
int cua_subject_open(const struct cua_subject *subject, const char *path);

/* Reads at most size - 1 bytes of a small file into buf, ends them with NUL. NUL bytes inside are
 * replaced by a newline. Returns the number of bytes, or -errno. */
ssize_t cua_subject_read(const struct cua_subject *subject, const char *path, char *buf,
                         size_t size);

/* 0 if it exists (links followed inside the sysroot), else -errno. */
int cua_subject_stat(const struct cua_subject *subject, const char *path, struct stat *st);

#endif
