/* SPDX-License-Identifier: Apache-2.0 */
/* The agreement between the processes of a container on one driver. Where a program runs with the
 * host's driver and with a bundled one (which is part of the image), because both have the same
 * CUDA major, all processes of one job must still get the same driver. So the first process that
 * decides writes its result to a file (the host's driver, or which bundled one), and all others
 * follow it as long as the container runs.
 *
 * Every process finds the same folder for that file, whatever its user, home or session: it is the
 * first of /tmp and /dev/shm that belongs to root, is sticky, open to all and not read-only. The
 * file's name there is a hash of the boot, the container (mount namespace, start of its first
 * process, root folder) and the kernel driver's version.
 *
 * Only root and the owner of the container's first process may name a bundled driver. A file that
 * names one counts if it belongs to one of these two, or to the reader, and nobody but its owner
 * can write it. In all other cases the agreement is the host's driver: if the file does not count,
 * cannot be written, or has no folder.
 *
 * The subject is the process that is examined (machine/subject.h). */
#ifndef CUA_AGREED_H
#define CUA_AGREED_H

#include "facts/facts.h"
#include "machine/subject.h"
#include "rules/verdict.h"

/* Sets `facts->agreed` to the agreement in the file. If there is no file, sets it to
 * CUA_AGREED_NOTHING if this process's user may name a driver; otherwise to CUA_AGREED_NATIVE, and,
 * if `settles`, writes that to the file. If there is no folder for the file, sets it to
 * CUA_AGREED_NATIVE. For a subject other than this process, always sets it to
 * CUA_AGREED_NOTHING. */
void cua_agreed_gather(struct cua_facts *facts, const struct cua_subject *subject, bool settles);

/* Whether a process of the container has written the file by now. */
bool cua_agreed_is_made(const struct cua_facts *facts, const struct cua_subject *subject);

/* Writes the driver that the verdict chooses to the file, unless the file exists already. Then sets
 * `facts->agreed` to the agreement in the file; to the host's driver if the file could not be
 * written. */
void cua_agreed_settle(struct cua_facts *facts, const struct cua_verdict *verdict,
                       const struct cua_subject *subject);

#endif
