/* SPDX-License-Identifier: Apache-2.0 */
/* The agreement between the processes of a container. If a program runs with either driver, because
 * both have the same CUDA major, the processes of one job must still all get the same one. So the
 * first process that decides writes its result down, the host's driver or a file, and all others
 * follow it as long as the container runs.
 *
 * Every process finds the place of the agreement without user, home or session: it is the first of
 * /tmp and /dev/shm that belongs to root, is sticky, open to all and not read-only. The name of the
 * file there is a hash of the boot, the container (mount namespace, start of its first process,
 * root) and the kernel driver's version. A driver that the file names counts only if the file
 * belongs to root, to the reader, or to the owner of the container's first process; other users may
 * not write one down. The host's driver counts whoever wrote it down. In doubt, and if nothing can
 * be written, the result is the host's driver. */
#ifndef CUA_AGREED_H
#define CUA_AGREED_H

#include "facts/facts.h"
#include "machine/subject.h"
#include "rules/verdict.h"

/* Fills `facts->agreed`. `settles`: this process may write. A process that may not name a driver
 * writes down the host's driver at once. For a subject other than this process nothing is known. */
void cua_agreed_gather(struct cua_facts *facts, const struct cua_subject *subject, bool settles);

/* Whether the container's processes have written an agreement down by now. */
bool cua_agreed_is_made(const struct cua_facts *facts, const struct cua_subject *subject);

/* Writes the verdict down, unless an agreement exists already. `facts->agreed` receives the
 * agreement that exists afterwards. */
void cua_agreed_settle(struct cua_facts *facts, const struct cua_verdict *verdict,
                       const struct cua_subject *subject);

#endif
