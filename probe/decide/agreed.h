/* SPDX-License-Identifier: Apache-2.0 */
/* The agreement between the processes of a container on one driver. A program may run both with the
 * host's driver and with a bundled one (part of the image) of the same CUDA major. All processes of
 * one job must then get the same driver. So the first process that decides writes to a file which
 * driver it takes, and all others follow it as long as the container runs.
 *
 * The file is in the first of /tmp and /dev/shm that belongs to root, is sticky, open to all and
 * not read-only. So every process finds the same file, whatever its user, home or session. The
 * file's name is a hash of the boot, the container (mount namespace, start of its first process,
 * root folder) and the kernel driver's version.
 *
 * Only root and the owner of the container's first process may name a bundled driver in the file.
 * The file counts if nobody but its owner can write it, and the owner is one of these two or the
 * reader. If it does not count, cannot be written, or has no folder, the agreement is the host's
 * driver.
 *
 * The subject is the process that is examined (machine/subject.h). */
#ifndef CUA_AGREED_H
#define CUA_AGREED_H

#include "facts/facts.h"
#include "machine/subject.h"
#include "rules/verdict.h"

/* Sets `facts->agreed`. The first of these cases that applies decides:
 * - The subject is not this process: CUA_AGREED_NOTHING.
 * - The folder or the name of the file cannot be found: CUA_AGREED_NATIVE.
 * - The file exists: the agreement in the file.
 * - This process's user may name a bundled driver: CUA_AGREED_NOTHING.
 * - All other cases: CUA_AGREED_NATIVE. If `settles`, this is also written to the file. */
void cua_agreed_gather(struct cua_facts *facts, const struct cua_subject *subject, bool settles);

/* Whether a process of the container has written the file by now. */
bool cua_agreed_is_made(const struct cua_facts *facts, const struct cua_subject *subject);

/* Writes the driver that the verdict chooses to the file, unless the file exists already. Then sets
 * `facts->agreed` to the agreement in the file; to the host's driver if the file could not be
 * written. */
void cua_agreed_settle(struct cua_facts *facts, const struct cua_verdict *verdict,
                       const struct cua_subject *subject);

#endif
