/* SPDX-License-Identifier: Apache-2.0 */
/* The rules. What the loader alone would take stays, with these exceptions: it is certain to fail;
 * or it is certain not to run this program's CUDA while another file certainly does; or, within one
 * CUDA major, NVIDIA's own hook would put another file first.
 *
 * They are a pure function of what is known so far. It answers with a verdict, or with the next
 * fact that could change the verdict. Facts that it did not ask for are not read, and the order of
 * the candidates never matters.
 *
 * Each fact is asked for once, with two exceptions: CUA_FACT_TRIAL is asked for as long as one of
 * `trial` has `tried` CUA_TRIAL_NONE, and CUA_FACT_LOADS for one file at a time. Gathering
 * CUA_FACT_NATIVE must also settle a doubtful version of the loader's choice: the version is found,
 * or becomes unknown. */
#ifndef CUA_RULES_H
#define CUA_RULES_H

#include "base/policy.h"
#include "facts/facts.h"
#include "rules/verdict.h"

void cua_rule(struct cua_verdict *verdict, const struct cua_facts *facts,
              const struct cua_policy *policy);

#endif
