/* SPDX-License-Identifier: Apache-2.0 */
/* Caches the answers of trials, so that a process tree, or processes that start together, try a
 * driver only once. A trial tries one file in a child process: it calls cuInit of a libcuda, or
 * asks an NVML for the GPUs.
 *
 * The answer to each question has a file in the cache folder (cachedir.h), which only its owner can
 * write to. The folder is also the lock: cua_trial_ask runs only one trial at a time. If there is
 * no such folder, this process caches its answers in memory. It then locks a folder of /proc that
 * no other user but root can open: /proc/PID/fd of the first process whose descriptors this user
 * may list. */
#ifndef CUA_TRIAL_ANSWERS_H
#define CUA_TRIAL_ANSWERS_H

#include "trial/outcome.h"

/* A question: what a trial of one file answers, in the circumstances that `text` lists. */
struct cua_trial_key {
    const char *file;
    struct cua_trial *trial;        /* receives the answer */
    struct cua_trial_answers *gpus; /* for an NVML: receives its list of GPUs; NULL for a driver */
    char text[4096];                /* lines of `key value`; the first line names the format */
    size_t length;
    char name[32]; /* file name of the entry, a hash of the text; "": the answer is not cached */
    /* The time limit of a trial, in seconds. It is stored with the answer: a cached timeout does
     * not answer a question with a longer limit. */
    unsigned limit;
};

/* Fills in the question; q->file and q->gpus must be set. The text contains the boot and container,
 * the kernel driver's version, the file's identity, the device nodes that this process can open,
 * the GPUs and, for a driver, CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER. `name` is "" if boot and
 * container cannot be identified (cua_cachedir_epoch), the file is missing, or the text is too
 * long. */
void cua_trial_key_make(struct cua_trial_key *q, const struct cua_trial_request *request);

/* Opens the cache folder, and sets `*kept` to true. If there is no such folder, opens one below
 * /proc instead, and sets `*kept` to false. Returns the descriptor or -errno. The lock (flock)
 * belongs to the open descriptor, so threads that each call this exclude one another too. */
int cua_answers_open(const struct cua_settings *settings, bool *kept);

/* Whether an answer could be written to the folder now. Call it under the lock. */
bool cua_answers_room(int folder);

/* Looks up the answer. True: q->trial and q->gpus have received it. If `kept` is false, call it
 * under the lock. cuInit's answers 0, 803 and 804 do not change for one libcuda and one kernel
 * driver. So these answers, and NVML's list of GPUs unless it is empty, are valid as long as boot
 * and container last. All other answers are valid for a minute. */
bool cua_answers_find(int folder, bool kept, const struct cua_trial_key *q);

/* Caches the answer. Call it under the lock. */
void cua_answers_keep(int folder, bool kept, const struct cua_trial_key *q);

#endif
