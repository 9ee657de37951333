/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps cuarbiter's hook in the CDI specifications of other tools, which may write them anew at any
 * time. */
#ifndef CUA_CDI_WATCH_H
#define CUA_CDI_WATCH_H

/* Merges `hook` as cua_cdi_merge_all does, and again whenever a specification is written. Prints
 * changes and failures, nothing else. Returns when watching fails: an exit code, after an error
 * message. */
int cua_cdi_watch(const char *hook);

#endif
