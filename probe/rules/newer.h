/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a UMD newer than the kernel driver works here. */
#ifndef CUA_NEWER_H
#define CUA_NEWER_H

#include "rules/weigh.h"
#include "facts/facts.h"

/* Whether a newer UMD works: the branch list, brand and compute capability of the GPUs, companions,
 * MPS, and what a trial answered. `native`: to compare with on Tegra; NULL if there is none. */
void cua_weigh_newer(struct cua_weight *weight, const struct cua_facts *facts,
                     const struct cua_umd *native);

#endif
