/* SPDX-License-Identifier: Apache-2.0 */
/* Whose facts: the environment and the root of the file system of the process that is looked at:
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

struct cua_subject {
    const char *sysroot;      /* "" or an absolute path without a slash at its end */
    char *const *env;         /* NULL: the process's environ */
    const char *library_path; /* LD_LIBRARY_PATH as ld.so goes by it; NULL: not set */
    pid_t pid;                /* 0: this process; else its /proc/PID is read */
    bool whatif;              /* an unpacked image, or a machine that is only described */
    char **mapped;            /* the files that process `pid` has mapped, NULL at the end; NULL */
    char *owned, *told;       /* what cua_subject_of_process read, with `mapped` */
};

/* This process, its root and nothing else of it. */
extern const struct cua_subject cua_here;

/* Whether it is this process: of any other nothing is loaded, executed or connected to. */
static inline bool cua_subject_is_own(const struct cua_subject *subject)
{
    return !subject->pid && !subject->whatif;
}

/* This process, and no other machine's files. */
static inline bool cua_subject_is_plain(const struct cua_subject *subject)
{
    return cua_subject_is_own(subject) && !(subject->sysroot && subject->sysroot[0]);
}

/* Value of a variable in the subject's environment, or NULL. Belongs to the environment. */
const char *cua_subject_env(const struct cua_subject *subject, const char *name);

/* Every path below is one of the subject's own root. In this process's own root it is the kernel's;
 * in any other it is walked by descriptors, every link inside that root, at most 40 of them and
 * 4,096 names, whoever changes them meanwhile. */

/* `out` (PATH_MAX bytes) receives a path without links, sysroot included, to be shown and
 * compared; opened it is by cua_real_open. 0 or -errno. */
int cua_subject_resolve(const struct cua_subject *subject, const char *path, char *out);
/* The same, and what it is; `opened`, unless it is NULL, receives what a look at the path leaves. A
 * descriptor in it is already that of `path`, else it is -1. */
struct cua_opened {
    int fd; /* by which the file can be read, the caller's to close; -1: of another root, or without
               the right to read */
    bool kernels; /* the kernel itself named the path, and: */
    int mount;    /* as cua_mount_at */
};
int cua_subject_find(const struct cua_subject *subject, const char *path, char *out,
                     struct stat *st, struct cua_opened *opened);

/* 1 if `path` from `fd` on, or `fd` itself where `path` is "", is a mount point of this process, 0
 * if not; -1 if the kernel does not report it. No link is followed. Reading the list of all mounts
 * costs as much as all other facts of a candidate. `st` receives who and what it is, its owner and
 * size; a mode of 0 where it cannot be known. */
int cua_mount_at(int fd, const char *path, struct stat *st);

/* Strips the sysroot off a path that cua_subject_resolve gave. Points into `real`. */
const char *cua_subject_inside(const struct cua_subject *subject, const char *real);

/* For reading: O_CLOEXEC, O_NONBLOCK, regular files and /proc only, else -EINVAL. Another subject's
 * devices and pipes are not even opened. Returns a descriptor or -errno. */
int cua_subject_open(const struct cua_subject *subject, const char *path);
int cua_subject_open_stat(const struct cua_subject *subject, const char *path, struct stat *st);

/* Reads at most size - 1 bytes of a small file into buf, ends them with NUL. NUL bytes inside are
 * replaced by a newline. Returns the number of bytes, or -errno. */
ssize_t cua_subject_read(const struct cua_subject *subject, const char *path, char *buf,
                         size_t size);

/* As stat(2), readlink(2) and cua_list; the result, or -errno. */
int cua_subject_stat(const struct cua_subject *subject, const char *path, struct stat *st);
/* Whether this process can open it for reading and writing, which opens nothing, and which a device
 * cgroup refuses as it refuses open (for other effective ids than real ones from Linux 5.8 and
 * glibc 2.33 on). Of another subject: whether it exists. */
bool cua_subject_may_open(const struct cua_subject *subject, const char *path);
ssize_t cua_subject_readlink(const struct cua_subject *subject, const char *path, char *text,
                             size_t size);
int cua_subject_list(const struct cua_subject *subject, const char *folder,
                     int (*fn)(void *data, const char *name, unsigned char type), void *data);

/* The same and lstat(2) of a path that cua_subject_resolve or a search gave: in this process
 * it is opened as it is, also below a sysroot or beside it, and whatever it is. */
int cua_real_open(const struct cua_subject *subject, const char *real);
int cua_real_stat(const struct cua_subject *subject, const char *real, struct stat *st);
int cua_real_lstat(const struct cua_subject *subject, const char *real, struct stat *st);

#endif
