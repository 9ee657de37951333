/* SPDX-License-Identifier: Apache-2.0 */
/* What install and uninstall share: another root file system, entered, so that every link in it
 * means what it means to the programs that live there. */
#ifndef CUA_ROOTFS_H
#define CUA_ROOTFS_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_INSTALL_DIR  "/opt/cuarbiter"
#define CUA_INSTALL_LINK CUA_INSTALL_DIR "/current"
#define CUA_PRELOAD_FILE "/etc/ld.so.preload"

/* The three files, and how many. */
#define CUA_FILE_COUNT 3
extern const char *const cua_files[CUA_FILE_COUNT];

/* Where the 32-bit loaders of some distribution look for $LIB. */
#define CUA_STUB_COUNT 3
extern const char *const cua_stub_folders[CUA_STUB_COUNT];

/* What $LIB is to the 64-bit loaders. */
#define CUA_LIB_COUNT 3
extern const char *const cua_lib_folders[CUA_LIB_COUNT];

/* Runs fn in a child whose root is `root` ("/": as it is). If the caller is not root, the child has
 * a user namespace of its own. Returns fn's result (0..120), or 1 after a complaint as `verb`. */
int cua_rootfs_run(const char *verb, const char *root, int (*fn)(void *data), void *data);

/* Larger files are not cuarbiter's. */
#define CUA_WHOLE_MOST ((size_t)64 << 20)

/* One install or uninstall at a time in a root: a descriptor that holds the lock until it is
 * closed. Take it before reading anything that either of them changes. -1 after a complaint as
 * `verb`; a lock that another process holds is one reason. */
int cua_rootfs_lock(const char *verb);

/* A copy of the loader's preload file without our entries, and with `entry` (NULL: none) at
 * its end. To be freed; NULL without memory. */
char *cua_preload_edit(const char *text, const char *entry);

/* Parses the options of install and uninstall, which are the same. Returns the exit code, or -1 to
 * go on. */
struct cua_verb;
struct cua_install_options {
    char root[4096];
    bool dry_run;
};
int cua_install_options(const struct cua_verb *verb, int argc, char **argv,
                        struct cua_install_options *options);

#endif
