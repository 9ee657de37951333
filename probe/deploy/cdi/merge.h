/* SPDX-License-Identifier: Apache-2.0 */
/* Adds cuarbiter's hook to the CDI specifications of other tools, so that the hook runs for every
 * container that gets a GPU by them. */
#ifndef CUA_CDI_MERGE_H
#define CUA_CDI_MERGE_H

enum cua_cdi_how {
    CUA_CDI_DO,
    CUA_CDI_QUIET, /* the same, but print nothing if there is nothing to do */
    CUA_CDI_DRY,   /* print what would be done, but change nothing */
};

/* Adds `hook`, a JSON object on one line, to the specification `file`. If `hook` is NULL, removes
 * cuarbiter's hook from it. Does not write a file that needs no change. Otherwise replaces the file
 * in one step; a change that another program makes meanwhile is not lost. Returns an exit code,
 * after an error message if it is not 0. */
int cua_cdi_merge(const char *file, const char *hook, enum cua_cdi_how how);

/* Where the documentation puts the specification of the device cuarbiter/shim=on. */
#define CUA_CDI_OWN "/etc/cdi/cuarbiter.json"

/* The paths of the specifications that NVIDIA's tools write, then NULL. */
#define CUA_CDI_KNOWN 4
extern const char *const cua_cdi_known[CUA_CDI_KNOWN + 1];

/* Calls cua_cdi_merge for each file of cua_cdi_known that exists. Returns an exit code. */
int cua_cdi_merge_all(const char *hook, enum cua_cdi_how how);

#endif
