/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the candidates: every libcuda file, each once, and what is known about it. */
#ifndef CUA_UMDS_H
#define CUA_UMDS_H

#include "base/policy.h"
#include "drivers/store.h"
#include "facts/facts.h"
#include "machine/settings.h"
#include "machine/subject.h"

/* Gathers the loader's choice and the file that the policy names. `file`: the loader's choice as
 * this process can open it; "": none. `opened`: NULL, or the descriptor of `file`, which is taken
 * over. Must be called after the kernel driver is known. */
void cua_umds_loader(struct cua_facts *facts, const struct cua_subject *subject, const char *file,
                     int *opened, const struct cua_policy *policy);

/* Gathers the native UMD: the loader's choice; else the first file with native's name where ld.so
 * and users look; else the best of all candidates. Must be called after the kernel driver and the
 * loader's choice are known. */
void cua_umds_native(struct cua_facts *facts, const struct cua_subject *subject);

/* Gathers all other candidates. */
void cua_umds_gather(struct cua_facts *facts, const struct cua_subject *subject);

/* Gathers the drivers that were brought for this process, which must be the subject, from each
 * store that it trusts. `site`: the store that root's site file names; "": none. Must be called
 * after all other candidates are gathered. */
void cua_umds_brought(struct cua_facts *facts, const struct cua_subject *subject,
                      const struct cua_settings *settings, const char *site);

/* Gathers the drivers of one store, which is open and has an absolute path. */
void cua_umds_of_store(struct cua_facts *facts, const struct cua_subject *subject,
                       struct cua_store *store);

#endif
