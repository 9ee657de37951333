/* SPDX-License-Identifier: Apache-2.0 */
/* The last resort of the rules: drivers that `cuarbiter driver add` brought. Pure functions. */
#ifndef CUA_BROUGHT_H
#define CUA_BROUGHT_H

#include "rules/bench.h"

/* Takes a brought driver; to be called if no other driver here serves the program. All of these
 * must hold: the program's CUDA major is later than the kernel driver's; the program asks for
 * libcuda by name; no library that is tied to the host's driver is in use; the policy allows
 * brought drivers and trials; this is Linux without MPS, MIG and confidential computing; the driver
 * is proven to work on every GPU; and a trial of it answered 0.
 *
 * If several qualify, the first is taken. First come drivers whose CUDA is not earlier than the
 * program's: the lowest CUDA first, and of one CUDA the newest build. Then come the others of the
 * program's major, the highest CUDA first. True: a driver was chosen, or the verdict asks for a
 * fact or a trial first. False: none was chosen, or cua_may_try asks for a fact. */
bool cua_take_brought(const struct cua_bench *bench);

/* The brought driver that comes first in this order, whether it is proven or not. NULL: there is
 * none that is trusted, has its companions, and whose CUDA has the program's major or a later
 * one. */
const struct cua_umd *cua_first_brought(const struct cua_facts *facts);

/* What `cuarbiter driver try` found on this machine: YES if a kernel ran on every GPU, NO if it
 * failed on one, else UNKNOWN. */
enum cua_works cua_ran_here(const struct cua_facts *facts, const struct cua_umd *umd);

/* Whether the driver's own note, a report or `driver try` shows that the driver works on every GPU
 * of the machine. False if `driver try` found that it fails on one of them, or if the rules predict
 * that cuInit fails. */
bool cua_is_proven(const struct cua_facts *facts, const struct cua_umd *umd);

#endif
