/* SPDX-License-Identifier: Apache-2.0 */
/* Caches answers: one file per question in the cache folder (cachedir.h), which only its owner can
 * write to. So a process tree, or processes that start together, try a driver once. The folder is
 * also the lock: only one trial runs at a time. If there is no such folder, this process caches its
 * own answers, and the lock is on a folder of /proc that no other user can open: the list of
 * descriptors of this user's first process here. */
#ifndef CUA_TRIAL_ANSWERS_H
#define CUA_TRIAL_ANSWERS_H

#include "trial/outcome.h"

/* The question about one file, in full. */
struct cua_trial_key {
    const char *file;
    struct cua_trial *trial;        /* receives the answer */
    struct cua_trial_answers *gpus; /* for an NVML: receives its list of GPUs; NULL for a driver */
    char text[4096];                /* lines of `key value`; the first line names the format */
    size_t length;
    char name[32]; /* file name of the entry, a hash of the text; "": the answer is not cached */
    /* If a trial has no answer after this many seconds, that is cached as its result. */
    unsigned limit;
};

/* Fills in the question about `file` and `gpus`. It contains the boot and container, the kernel
 * driver's version, the file's identity, the GPUs and the device nodes that this process can open
 * and, for a driver, which GPUs are to be visible. If this cannot tell the machine and its boot
 * from others, `name` stays "", and no answer is cached. */
void cua_trial_key_make(struct cua_trial_key *q, const struct cua_trial_request *request);

/* Opens the cache folder. If there is no such folder, opens one below /proc instead, and sets
 * `*kept` to false. Returns the descriptor or -errno. Threads that open it do not share the lock
 * (flock). */
int cua_answers_open(const struct cua_settings *settings, bool *kept);

/* Whether an answer could be written to the folder now. Call it under the lock. */
bool cua_answers_room(int folder);

/* Looks the answer up. Call it under the lock if nothing is cached on disk. Cached for ever: 0, 803
 * and 804, which the kernel driver returns for this pair of versions, and a complete list from
 * NVML. All other answers are cached for a minute. */
bool cua_answers_find(int folder, bool kept, const struct cua_trial_key *q);

/* Caches the answer. Call it under the lock. */
void cua_answers_keep(int folder, bool kept, const struct cua_trial_key *q);

#endif
