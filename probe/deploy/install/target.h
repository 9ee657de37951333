/* SPDX-License-Identifier: Apache-2.0 */
/* Works in the target, the root file system that install has entered: runs the target's loader, and
 * removes the folder of a version. */
#ifndef CUA_TARGET_H
#define CUA_TARGET_H

#include <stdbool.h>

/* Checks that the target has a glibc loader of this architecture. 0, or -errno after an error
 * message. */
int cua_target_check(void);

/* Whether the target also runs 32-bit programs. */
bool cua_target_has_32bit(void);

/* Runs the target's /bin/true with LD_PRELOAD=preload. 0 if it succeeds, prints nothing and has
 * mapped `file`; else -errno after an error message that quotes the loader. */
int cua_target_try(const char *preload, const char *file);

/* Whether the target's loader maps `file` with LD_PRELOAD=preload. The loader only lists what it
 * maps (LD_TRACE_LOADED_OBJECTS); no program runs. */
bool cua_target_expands(const char *preload, const char *file);

/* Removes from a version's folder what install put there, then the folder, if it is empty. 0 or
 * -errno. */
int cua_remove_version(const char *folder);

#endif
