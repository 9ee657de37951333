/* SPDX-License-Identifier: Apache-2.0 */
/* The candidates: every libcuda file that can be found, each once, and what is known of it. */
#ifndef CUA_UMDS_H
#define CUA_UMDS_H

#include "base/policy.h"
#include "facts/facts.h"
#include "machine/subject.h"

/* The loader's choice, which is `file` as this process can open it ("": none), and the file that
 * the policy names. `opened`: NULL, or the descriptor of `file`, which is taken. Needs the KMD. */
void cua_umds_loader(struct cua_facts *facts, const struct cua_subject *subject, const char *file,
                     int *opened, const struct cua_policy *policy);

/* The native one: the loader's choice, else the first of its name where ld.so and users look, else
 * the best of all. Needs KMD and the loader's choice. */
void cua_umds_native(struct cua_facts *facts, const struct cua_subject *subject);

/* All others. */
void cua_umds_gather(struct cua_facts *facts, const struct cua_subject *subject);

#endif
