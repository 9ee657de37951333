/* SPDX-License-Identifier: Apache-2.0 */
/* The last resort of the rules: drivers that were brought. Pure. */
#ifndef CUA_BROUGHT_H
#define CUA_BROUGHT_H

#include "rules/bench.h"

/* Applies if no other driver here serves the program. Takes a brought driver only for a program of
 * a later CUDA major than the kernel driver's that asks for libcuda by name, and only if no library
 * that is tied to the host's driver is in use. The driver must surely work on every GPU, and a
 * trial of it must have answered 0. If several qualify: among those whose CUDA is not earlier than
 * the program's, the one of the lowest CUDA, and of that its newest build; if there are none, the
 * highest of the program's major. True: a driver was chosen, or a fact or trial is asked for
 * first. */
bool cua_take_brought(const struct cua_bench *bench);

/* The candidate that comes first, whatever is known about it; NULL: none would serve the
 * program. */
const struct cua_umd *cua_first_brought(const struct cua_facts *facts);

/* What `cuarbiter driver try` found on this machine: YES if a kernel ran on every GPU, NO if it
 * failed on one. */
enum cua_works cua_ran_here(const struct cua_facts *facts, const struct cua_umd *umd);

/* Whether the driver's own note, a report or `driver try` shows that it works on every GPU of the
 * machine. What `driver try` found on one of them to fail is not proven. */
bool cua_is_proven(const struct cua_facts *facts, const struct cua_umd *umd);

#endif
