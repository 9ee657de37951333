/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the candidates: every libcuda file, each once, and what is known about it. The subject is
 * the process that is examined (machine/subject.h). The loader's choice is the file that ld.so
 * alone would take. Brought drivers are those that `cuarbiter driver add` has put into a store
 * (store.h). */
#ifndef CUA_UMDS_H
#define CUA_UMDS_H

#include "base/policy.h"
#include "drivers/store.h"
#include "facts/facts.h"
#include "machine/settings.h"
#include "machine/subject.h"

/* Gathers the loader's choice and the file that the user names (CUARBITER_LIBCUDA, in
 * policy->libcuda). `file`: path of the loader's choice, as this process can open it; "": none.
 * `opened`: NULL, or a descriptor of `file`, which this function takes over and sets to -1. To be
 * called when the kernel driver is known. */
void cua_umds_loader(struct cua_facts *facts, const struct cua_subject *subject, const char *file,
                     int *opened, const struct cua_policy *policy);

/* Finds the native UMD (user-mode driver), the kernel driver's own libcuda (facts/native.h): the
 * loader's choice, if it is native; else the first native file libcuda.so.VERSION, of the kernel
 * driver's version, in the folders of cua_folders_each; else gathers all candidates and takes the
 * best native one. To be called when the kernel driver and the loader's choice are known. */
void cua_umds_native(struct cua_facts *facts, const struct cua_subject *subject);

/* Gathers all other candidates, except brought drivers. Does nothing if they are gathered
 * already. */
void cua_umds_gather(struct cua_facts *facts, const struct cua_subject *subject);

/* Gathers the brought drivers from each store that this process may use (cua_store_look_to_run).
 * The subject must be this process. `site`: the store that the site file (/etc/cuarbiter.conf)
 * names; "": none. To be called when all other candidates are gathered. */
void cua_umds_brought(struct cua_facts *facts, const struct cua_subject *subject,
                      const struct cua_settings *settings, const char *site);

/* Gathers the drivers of one store. The store must be open, and its path absolute. */
void cua_umds_of_store(struct cua_facts *facts, const struct cua_subject *subject,
                       struct cua_store *store);

#endif
