/* SPDX-License-Identifier: Apache-2.0 */
/* What `cuarbiter install` and `cuarbiter uninstall` share. Both enter the root file system that
 * --root names (chroot), so that absolute links lead to files inside it. They install or remove
 * - the shim, the library that /etc/ld.so.preload names;
 * - the answerer, a program that the shim starts to choose a libcuda;
 * - the command `cuarbiter`.
 * Each build of these has a folder in CUA_INSTALL_DIR, named by its version, with +N at the end for
 * further builds of one version. */
#ifndef CUA_ROOTFS_H
#define CUA_ROOTFS_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_INSTALL_DIR  "/opt/cuarbiter"
#define CUA_INSTALL_LINK CUA_INSTALL_DIR "/current"
#define CUA_INSTALL_NEW  ".new" /* the folder there in which an install prepares a build */
#define CUA_PRELOAD_FILE "/etc/ld.so.preload"

/* The names of the files that are installed: answerer, command and shim. */
#define CUA_FILE_COUNT 3
extern const char *const cua_files[CUA_FILE_COUNT];

/* The values of $LIB in the 32-bit loaders of distributions. */
#define CUA_STUB_COUNT 3
extern const char *const cua_stub_folders[CUA_STUB_COUNT];

/* The values of $LIB in the 64-bit loaders of distributions. */
#define CUA_LIB_COUNT 3
extern const char *const cua_lib_folders[CUA_LIB_COUNT];

/* Runs `fn` in a child process whose root is `root` ("/": no change). If the caller is not root and
 * the root changes, the child gets a new user namespace. Returns the result of `fn` (0..120). If
 * the result is 0 but the child's output cannot be written, returns 1. If `fn` cannot be run or the
 * child dies, returns 1 after an error message, in which `verb` is the command's name. */
int cua_rootfs_run(const char *verb, const char *root, int (*fn)(void *data), void *data);

/* Limit for a file that is read into memory: cuarbiter's own files and ld.so.preload are
 * smaller. */
#define CUA_WHOLE_MOST ((size_t)64 << 20)

/* Takes the lock that allows only one install or uninstall at a time in a root. Call this before
 * reading files that install or uninstall changes. Returns a descriptor that holds the lock until
 * it is closed. Returns -1 on failure, for example if another process keeps the lock for 20
 * seconds; an error message says so, with `verb` as the command's name. */
int cua_rootfs_lock(const char *verb);

/* Returns a copy of `text`, the content of ld.so.preload, without the entries that name a shim in
 * CUA_INSTALL_DIR. Unless `entry` is NULL, the copy has `entry` as a new last line. To be freed;
 * NULL if there is no memory. */
char *cua_preload_edit(const char *text, const char *entry);

struct cua_verb;
struct cua_install_options {
    char root[4096];
    bool dry_run;
};
/* Parses the options of install or uninstall, which are the same. options->root receives the real
 * path of --root. Returns the exit code, or -1 if the command is to continue. */
int cua_install_options(const struct cua_verb *verb, int argc, char **argv,
                        struct cua_install_options *options);

#endif
