/* SPDX-License-Identifier: Apache-2.0 */
/* For `cuarbiter cdi --merge --watch`: keeps cuarbiter's OCI hook (deploy/hook) in the CDI
 * specifications of other tools, which may write them anew at any time. */
#ifndef CUA_CDI_WATCH_H
#define CUA_CDI_WATCH_H

/* Adds `hook` to each file of cua_cdi_known (merge.h) that exists. Does so again whenever one of
 * these files may have been written, and whenever nothing has happened in their folders for 30
 * seconds. Prints changes and failures, nothing else. Returns only if watching fails: 1, after an
 * error message. */
int cua_cdi_watch(const char *hook);

#endif
