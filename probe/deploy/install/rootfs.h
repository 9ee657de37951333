/* SPDX-License-Identifier: Apache-2.0 */
/* What install and uninstall share. Both enter the other root file system, so that every link in it
 * means the same as for the programs that live there. */
#ifndef CUA_ROOTFS_H
#define CUA_ROOTFS_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_INSTALL_DIR  "/opt/cuarbiter"
#define CUA_INSTALL_LINK CUA_INSTALL_DIR "/current"
#define CUA_PRELOAD_FILE "/etc/ld.so.preload"

/* The names of the three files. */
#define CUA_FILE_COUNT 3
extern const char *const cua_files[CUA_FILE_COUNT];

/* The folders that $LIB leads to in the 32-bit loaders of distributions. */
#define CUA_STUB_COUNT 3
extern const char *const cua_stub_folders[CUA_STUB_COUNT];

/* The values that $LIB has in 64-bit loaders. */
#define CUA_LIB_COUNT 3
extern const char *const cua_lib_folders[CUA_LIB_COUNT];

/* Runs fn in a child that has entered `root` ("/": no change). If the caller is not root, the child
 * gets a new user namespace. Returns fn's result (0..120), or 1 after an error message that begins
 * with `verb`. */
int cua_rootfs_run(const char *verb, const char *root, int (*fn)(void *data), void *data);

/* A file larger than this cannot be one of cuarbiter's. */
#define CUA_WHOLE_MOST ((size_t)64 << 20)

/* Takes the lock that allows only one install or uninstall at a time in a root. Returns a
 * descriptor that holds the lock until it is closed. Call it before reading anything that either of
 * them changes. -1 after an error message that begins with `verb`; one reason is that another
 * process has the lock. */
int cua_rootfs_lock(const char *verb);

/* Returns a copy of the loader's preload file without our entries and, unless it is NULL, with
 * `entry` at its end. To be freed; NULL if there is no memory. */
char *cua_preload_edit(const char *text, const char *entry);

/* Parses the options of install and uninstall, which have the same ones. Returns the exit code, or
 * -1 to continue. */
struct cua_verb;
struct cua_install_options {
    char root[4096];
    bool dry_run;
};
int cua_install_options(const struct cua_verb *verb, int argc, char **argv,
                        struct cua_install_options *options);

#endif
