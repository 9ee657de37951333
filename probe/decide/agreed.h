/* SPDX-License-Identifier: Apache-2.0 */
/* The agreement between the processes of a container on one driver. Where a program runs with the
 * host's driver and with a bundled one, because both have the same CUDA major, all processes of one
 * job must still get the same driver. So the first process that decides writes its result to a file
 * (the host's driver, or which bundled one), and all others follow it as long as the container
 * runs.
 *
 * Every process finds the folder of that file without user, home or session: it is the first of
 * /tmp and /dev/shm that belongs to root, is sticky, open to all and not read-only. The file's name
 * there is a hash of the boot, the container (mount namespace, start of its first process, root)
 * and the kernel driver's version. A bundled driver that the file names counts only if the file
 * belongs to root, to the reader, or to the owner of the container's first process, and only that
 * owner can write it; other users may not name a driver. Any other file means the host's driver. So
 * does a failure to find the folder or to write the file. */
#ifndef CUA_AGREED_H
#define CUA_AGREED_H

#include "facts/facts.h"
#include "machine/subject.h"
#include "rules/verdict.h"

/* Sets `facts->agreed` to the agreement that is written down. Without one it is CUA_AGREED_NOTHING
 * if this process's user may name a driver; otherwise CUA_AGREED_NATIVE, which is written down at
 * once if `settles`. CUA_AGREED_NATIVE also if there is no folder for the file. For a subject other
 * than this process always CUA_AGREED_NOTHING. */
void cua_agreed_gather(struct cua_facts *facts, const struct cua_subject *subject, bool settles);

/* Whether a process of the container has written an agreement down by now. */
bool cua_agreed_is_made(const struct cua_facts *facts, const struct cua_subject *subject);

/* Writes down the driver that the verdict chooses, unless an agreement exists already.
 * `facts->agreed` receives the agreement that exists afterwards; the host's driver if none could be
 * written. */
void cua_agreed_settle(struct cua_facts *facts, const struct cua_verdict *verdict,
                       const struct cua_subject *subject);

#endif
