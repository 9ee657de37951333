/* SPDX-License-Identifier: Apache-2.0 */
/* The target is the root file system that `cuarbiter install` or `cuarbiter uninstall` has entered.
 * Runs its loader, to check that the loader can load the installed library, and removes the folder
 * of an installed version there. */
#ifndef CUA_TARGET_H
#define CUA_TARGET_H

#include <stdbool.h>

/* Checks that the target has an executable file at the path of glibc's loader for this
 * architecture. 0, or -errno after an error message. */
int cua_target_check(void);

/* Whether the target also has a 32-bit glibc loader. */
bool cua_target_has_32bit(void);

/* Runs the target's /bin/true (/bin/sh if that is no ELF file) with LD_PRELOAD=preload. 0 if it
 * succeeds, prints nothing, and the loader maps `file`; else -ENOEXEC after an error message. */
int cua_target_try(const char *preload, const char *file);

/* Whether the target's loader, for a program with LD_PRELOAD=preload, maps `file`. The loader only
 * lists what it maps (LD_TRACE_LOADED_OBJECTS); the program does not run. */
bool cua_target_expands(const char *preload, const char *file);

/* Removes from a version's folder what install has put there, then the folder itself. Returns 0; or
 * -errno, for example if other files are in it. */
int cua_remove_version(const char *folder);

#endif
