/* SPDX-License-Identifier: Apache-2.0 */
/* The subject: the process that is examined, with its environment and its root file system. It can
 * be this process, another one, or one in an unpacked image (a what-if). Every file from which a
 * fact about the system is read is opened through a subject, so that what-ifs and tests see only
 * the machine that they describe. A subject's environment never changes cuarbiter's settings
 * (settings.h). */
#ifndef CUA_SUBJECT_H
#define CUA_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

struct cua_subject {
    const char *sysroot;      /* path of its root, no slash at the end; "": this process's root */
    char *const *env;         /* its environment; NULL: this process's environ */
    const char *library_path; /* LD_LIBRARY_PATH as ld.so uses it; NULL: not set */
    pid_t pid;                /* 0: this process; else the process whose /proc/PID is read */
    /* It is an unpacked image, or options of the command describe its machine. False for this
     * process with a sysroot (CUARBITER_SYSROOT). */
    bool whatif;
    /* Paths of the files that process `pid` has mapped, then NULL; NULL: not known. */
    char **mapped;
    char *owned, *told; /* memory that cua_subject_of_process allocated, like `mapped` */
};

/* This process, with its own root and environment. */
extern const struct cua_subject cua_here;

/* Whether the subject is this process. For any other, nothing is loaded, executed or connected
 * to. */
static inline bool cua_subject_is_own(const struct cua_subject *subject)
{
    return !subject->pid && !subject->whatif;
}

/* Whether it is this process without a sysroot: the kernel then resolves its paths. */
static inline bool cua_subject_is_plain(const struct cua_subject *subject)
{
    return cua_subject_is_own(subject) && !(subject->sysroot && subject->sysroot[0]);
}

/* The value of a variable in the subject's environment; NULL if it is not set. Belongs to the
 * environment. */
const char *cua_subject_env(const struct cua_subject *subject, const char *name);

/* The functions cua_subject_* below take paths below the subject's own root. For this process's own
 * root the kernel resolves them. Any other root is walked by descriptors: every link is followed
 * inside that root, even if somebody changes the links meanwhile. A path may lead through at most
 * 40 links and 4,096 names. */

/* Writes the path of an existing file, with all links resolved and with the sysroot, to `out`
 * (PATH_MAX bytes). Writes `path` unchanged if this process may not read links. The result is for
 * messages and comparisons; to open it, use cua_real_open. 0 or -errno. */
int cua_subject_resolve(const struct cua_subject *subject, const char *path, char *out);
/* What cua_subject_find finds out besides the path and the file's status. Before the call, set `fd`
 * to -1, or to a descriptor of the file, which the function takes over instead of opening it. */
struct cua_opened {
    /* Descriptor to read the file by, to be closed by the caller; -1: there is none, because the
     * file is below another root, cannot be read, or `kernels` is false. */
    int fd;
    bool kernels; /* the kernel showed the path (/proc/self/fd); only then `mount` is valid */
    int mount;    /* result of cua_mount_at */
};
/* Like cua_subject_resolve. `st` receives the file's status; if `opened` is not NULL, perhaps only
 * the fields that cua_mount_at fills in. */
int cua_subject_find(const struct cua_subject *subject, const char *path, char *out,
                     struct stat *st, struct cua_opened *opened);

/* Whether `path` relative to `fd`, or `fd` itself if `path` is "", is a mount point of this
 * process: 1 yes, 0 no, -1 if the kernel does not report it. Does not follow links. (Reading the
 * list of all mounts instead would cost as much as all other facts about a libcuda.) `st` receives
 * device, inode, mode, owner and size; a mode of 0 means that these are not known. */
int cua_mount_at(int fd, const char *path, struct stat *st);

/* The path by which the subject itself names a file: `real` without the sysroot. `real` must come
 * from cua_subject_resolve. The result points into `real`, or is "/". */
const char *cua_subject_inside(const struct cua_subject *subject, const char *real);

/* Opens a regular file (those of /proc are regular too) for reading, with O_CLOEXEC and O_NONBLOCK.
 * Returns a descriptor or -errno; -EINVAL if it is not a regular file. Below another root than this
 * process's own, devices and pipes are not even opened. */
int cua_subject_open(const struct cua_subject *subject, const char *path);
int cua_subject_open_stat(const struct cua_subject *subject, const char *path, struct stat *st);

/* Reads at most size - 1 bytes of a small file into buf, and adds a NUL. A file in /proc or /sys
 * must have less than a page: more may be cut at the end of a line. NUL bytes in the file
 * become newlines. Returns the number of bytes; -errno if none could be read because of an
 * error. */
ssize_t cua_subject_read(const struct cua_subject *subject, const char *path, char *buf,
                         size_t size);

/* Whether a file exists, and can be reached without entering a mount other than the root's.
 * (Another mount could belong to a server that does not answer, and block the caller.) Also true if
 * that cannot be found out, because the kernel is older than Linux 5.6 or a sandbox forbids
 * openat2. */
bool cua_subject_is_near(const struct cua_subject *subject, const char *path);

/* cua_subject_stat, cua_subject_readlink, cua_subject_list: like stat(2), readlink(2) and cua_list.
 * They return the result, or -errno. */
int cua_subject_stat(const struct cua_subject *subject, const char *path, struct stat *st);
/* Whether this process could open the file for reading and writing. Does not open it. False for a
 * device that the device cgroup forbids; if effective and real ids differ, only Linux 5.8 and glibc
 * 2.33 find that out. For another subject, whether the file exists. */
bool cua_subject_may_open(const struct cua_subject *subject, const char *path);
ssize_t cua_subject_readlink(const struct cua_subject *subject, const char *path, char *text,
                             size_t size);
int cua_subject_list(const struct cua_subject *subject, const char *folder,
                     int (*fn)(void *data, const char *name, unsigned char type), void *data);

/* Like open(2) for reading, stat(2) and lstat(2), for a path with the sysroot: from
 * cua_subject_resolve or a search. If the subject is this process, the path is used as it is, and
 * the file may be of any type. For another subject, they work like cua_subject_open and
 * cua_subject_stat. They return the result, or -errno. */
int cua_real_open(const struct cua_subject *subject, const char *real);
int cua_real_stat(const struct cua_subject *subject, const char *real, struct stat *st);
int cua_real_lstat(const struct cua_subject *subject, const char *real, struct stat *st);

#endif
