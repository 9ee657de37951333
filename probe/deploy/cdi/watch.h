/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps cuarbiter's hook in the CDI specifications of other tools. */
#ifndef CUA_CDI_WATCH_H
#define CUA_CDI_WATCH_H

/* Merges `hook` as cua_cdi_merge_all does, and again whenever a specification is written. Prints
 * only changes and failures. Returns only if it cannot go on: an exit code, after an error
 * message. */
int cua_cdi_watch(const char *hook);

#endif
