/* SPDX-License-Identifier: Apache-2.0 */
/* Adds cuarbiter's OCI hook (deploy/hook) to the CDI specifications of other tools, or removes the
 * hook from them. Once added, the hook runs for every container that gets a GPU by such a
 * specification. */
#ifndef CUA_CDI_MERGE_H
#define CUA_CDI_MERGE_H

enum cua_cdi_how {
    CUA_CDI_DO,
    CUA_CDI_QUIET, /* as CUA_CDI_DO, but print nothing if there is nothing to do */
    CUA_CDI_DRY,   /* print what would be done, but change nothing */
};

/* Makes `hook`, a JSON object on one line, the only hook of cuarbiter in the specification `file`.
 * If `hook` is NULL, removes all of cuarbiter's hooks. Does not write a file that needs no change.
 * Otherwise replaces the file in one step. If another program changes the file meanwhile, starts
 * again from the new text. Returns 0 on success. On failure prints an error message, and returns
 * CUA_EXIT_USAGE if the file does not exist or this user may not read it, 1 otherwise. */
int cua_cdi_merge(const char *file, const char *hook, enum cua_cdi_how how);

/* The path at which the documentation puts cuarbiter's own specification, which describes the
 * device cuarbiter/shim=on. */
#define CUA_CDI_OWN "/etc/cdi/cuarbiter.json"

/* The paths of the specifications that NVIDIA's tools write, CUA_CDI_KNOWN of them, then NULL. */
#define CUA_CDI_KNOWN 4
extern const char *const cua_cdi_known[CUA_CDI_KNOWN + 1];

/* Calls cua_cdi_merge for each file of cua_cdi_known that exists. Returns the highest of the
 * results. If no file exists, prints that, with a hint to make a specification unless `hook` is
 * NULL, and returns 0. */
int cua_cdi_merge_all(const char *hook, enum cua_cdi_how how);

#endif
