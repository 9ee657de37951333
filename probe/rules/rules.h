/* SPDX-License-Identifier: Apache-2.0 */
/* The rules choose the libcuda that a process gets. Under the policy `auto` they keep what ld.so
 * would take by itself (the loader's choice). They may replace it in three cases:
 * - The loader's choice is missing, or fails, for certain or in a trial.
 * - The program's CUDA has a later major than the loader's choice supports, and another file works.
 * - The program's CUDA has a later minor than the loader's choice supports, and another file works
 *   and lies where NVIDIA's own hook looks.
 *
 * The rules are a pure function of what is known so far. The function returns a verdict, or the
 * next fact that could change the verdict. The caller gathers that fact and calls again. The rules
 * do not read facts that they did not ask for, and the order of the candidates never matters.
 *
 * Each fact is asked for once, with two exceptions: CUA_FACT_TRIAL is asked for as long as a file
 * in verdict->trial has not been tried, and CUA_FACT_LOADS for one file at a time. Gathering
 * CUA_FACT_NATIVE must also settle a doubtful version of the loader's choice: the version is found,
 * or becomes unknown.
 *
 * In the comments of the rules, a UMD is a user-mode driver: a libcuda file. Native is the UMD that
 * belongs to the kernel driver (facts/native.h). Bundled drivers come with the image; brought ones
 * were stored by `cuarbiter driver add`. A trial calls cuInit of a UMD in a child process. The
 * program's CUDA is the version that its runtime (libcudart) shows or, without one, that the image
 * declares. */
#ifndef CUA_RULES_H
#define CUA_RULES_H

#include "base/policy.h"
#include "facts/facts.h"
#include "rules/verdict.h"

void cua_rule(struct cua_verdict *verdict, const struct cua_facts *facts,
              const struct cua_policy *policy);

#endif
