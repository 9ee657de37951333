/* SPDX-License-Identifier: Apache-2.0 */
/* Trials whose answers are kept: one file per question in the cache folder. */
#ifndef CUA_TRIAL_ANSWERS_H
#define CUA_TRIAL_ANSWERS_H

#include "trial/trial.h"
#include "facts/facts.h"
#include "machine/settings.h"

/* As cua_trial_run, through the cache: one trial for a process tree and for processes that start
 * together, keyed by boot and container, KMD version, UMD identity and visible GPUs, in a folder
 * that only its owner can write (cachedir.h). What the kernel driver says of the pair (0, 803, 804)
 * is kept for good, everything else for a minute. Waits for a trial of the same by another process
 * at most `timeout` and three seconds. */
int cua_trial_cached(struct cua_trial *trial, const struct cua_facts *facts,
                     const struct cua_umd *umd, const struct cua_settings *settings,
                     unsigned timeout, bool contexts);

#endif
