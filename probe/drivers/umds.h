/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the candidates: every libcuda file, each once, and what is known about it. The subject is
 * the process that is examined (machine/subject.h). The loader's choice is the file that ld.so
 * would take without cuarbiter. Brought drivers are those that `cuarbiter driver add` has put into
 * a store (store.h). */
#ifndef CUA_UMDS_H
#define CUA_UMDS_H

#include "base/policy.h"
#include "drivers/store.h"
#include "facts/facts.h"
#include "machine/settings.h"
#include "machine/subject.h"

/* Gathers the loader's choice and the file that the user names (CUARBITER_LIBCUDA, in
 * policy->libcuda). Must be called when the kernel driver is known. `file`: a path of the loader's
 * choice that this process can open; "": none. `opened`: NULL, or a descriptor of `file`. Unless
 * there is no memory, this function takes the descriptor over and sets *opened to -1. */
void cua_umds_loader(struct cua_facts *facts, const struct cua_subject *subject, const char *file,
                     int *opened, const struct cua_policy *policy);

/* Finds the native UMD (user-mode driver), the kernel driver's own libcuda (facts/native.h). Call
 * it only after the kernel driver and the loader's choice are known. Takes the first of these:
 * - the loader's choice, if it is native
 * - on Linux (not on Tegra or WSL): libcuda.so.VERSION from the first folder of cua_folders_each
 *   that has a native one. VERSION is the kernel driver's. Compat folders and relative paths are
 *   skipped.
 * - the best native one of all candidates (cua_umds_gather) */
void cua_umds_native(struct cua_facts *facts, const struct cua_subject *subject);

/* Gathers all other candidates, except brought drivers. Does nothing if they are gathered
 * already. */
void cua_umds_gather(struct cua_facts *facts, const struct cua_subject *subject);

/* Gathers the brought drivers from each store that this process may use (cua_store_look_to_run).
 * The subject must be this process. `site`: the store that the site file (machine/site.h)
 * names; "": none. To be called when all other candidates are gathered. */
void cua_umds_brought(struct cua_facts *facts, const struct cua_subject *subject,
                      const struct cua_settings *settings, const char *site);

/* Gathers the drivers of one store. The store must be open, and its path absolute. */
void cua_umds_of_store(struct cua_facts *facts, const struct cua_subject *subject,
                       struct cua_store *store);

#endif
