/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers that are kept: one file a question in the cache folder (cachedir.h), which only its owner
 * can write, so that a process tree, and processes that start together, try a driver once. The
 * folder is the lock as well: one trial at a time. Without a folder this process remembers for
 * itself, and the lock is on a folder of /proc that no other user can open: that of the descriptors
 * of the user's first process here. */
#ifndef CUA_TRIAL_ANSWERS_H
#define CUA_TRIAL_ANSWERS_H

#include "trial/outcome.h"

/* What is asked of one file, in full. */
struct cua_trial_key {
    const char *file;
    struct cua_trial *trial;        /* receives what came of it */
    struct cua_trial_answers *gpus; /* of NVML, receives its list; NULL: a driver */
    char text[4096];                /* lines of `key value`; the first one names the format */
    size_t length;
    char name[32];  /* of the entry: a hash of the text; "" */
    unsigned limit; /* no answer in this many seconds is one */
};

/* For `file` and `gpus`. Keyed by boot and container, KMD version, the file as it lies there, the
 * GPUs and the device nodes that this process can open, and, for a driver, what shall be visible of
 * them. Where that does not tell this machine and moment from others, the question has no name, and
 * nothing is kept of it. */
void cua_trial_key_make(struct cua_trial_key *q, const struct cua_trial_request *request);

/* Descriptor of the folder; of one below /proc, and `*kept` false, where there is none. -errno
 * where there is neither. Its lock, by flock, is another one for each thread that opens it. */
int cua_answers_open(const struct cua_settings *settings, bool *kept);

/* Whether an answer could be written there now. Under the lock. */
bool cua_answers_room(int folder);

/* What is known; under the lock where nothing is kept. 0, 803 and 804, which the kernel driver says
 * of the pair, and NVML's whole list hold for good, the rest a minute. */
bool cua_answers_find(int folder, bool kept, const struct cua_trial_key *q);

/* Keeps it. Under the lock. */
void cua_answers_keep(int folder, bool kept, const struct cua_trial_key *q);

#endif
