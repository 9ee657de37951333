/* SPDX-License-Identifier: Apache-2.0 */
/* The last resort of the rules (rules.h): brought drivers, which are those that `cuarbiter driver
 * add` stored on this machine. Pure functions.
 *
 * A UMD is a user-mode driver: a libcuda file. Its companions are the libraries that it opens, such
 * as the PTX compiler. A trial calls cuInit of a UMD in a child process. */
#ifndef CUA_BROUGHT_H
#define CUA_BROUGHT_H

#include "rules/bench.h"

/* Takes a brought driver. Call it if no other driver here serves the program. All of these must
 * hold:
 * - The program's CUDA major is later than the kernel driver's.
 * - The program asks for libcuda by name.
 * - No library that is tied to the host's driver is in use.
 * - The policy allows brought drivers and trials.
 * - The platform is neither Tegra nor WSL, and there is no MPS, MIG or confidential computing.
 * - The driver is proven to work on every GPU (cua_is_proven), and a trial of it answered 0.
 *
 * The drivers are tried in this order: first those whose CUDA is not earlier than the program's,
 * the lowest CUDA first; then the others whose CUDA has the program's major, the highest CUDA
 * first. Of drivers with the same CUDA, the newest version comes first.
 *
 * True: a driver was chosen, or the verdict asks for a fact or a trial first. False: no driver was
 * chosen; cua_may_try may still have asked for a fact. */
bool cua_take_brought(const struct cua_bench *bench);

/* Returns the first brought driver in the order of cua_take_brought, whether it is proven or not.
 * NULL: there is none that is trusted, has its companions, and whose CUDA has the program's major
 * or a later one. */
const struct cua_umd *cua_first_brought(const struct cua_facts *facts);

/* What `cuarbiter driver try`, which runs a kernel on each GPU, found on this machine with this
 * UMD: YES if a kernel ran on every GPU, NO if it failed on one, else UNKNOWN. */
enum cua_works cua_ran_here(const struct cua_facts *facts, const struct cua_umd *umd);

/* Whether there is proof that the driver works on every GPU of the machine: from `driver try`, or,
 * if the driver has an ELF note, from that note or from runs that cuarbiter's tables list. False if
 * `driver try` found that it fails on one of them, if the rules predict that cuInit fails, or if
 * MPS runs and the driver is newer than the kernel driver. */
bool cua_is_proven(const struct cua_facts *facts, const struct cua_umd *umd);

#endif
