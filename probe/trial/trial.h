/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trying drivers: cuInit of very files, and NVML's word on the GPUs, each in a child process of its
 * own, because a process that failed cuInit once cannot try another. The child is the command,
 * executed as `cuarbiter trial --helper`, without LD_PRELOAD, without inherited descriptors, and
 * with nothing for the program's SIGCHLD handler or wait; child.h tells how. No context is made.
 * The calling thread stands still meanwhile. Any thread may ask; errno is kept.
 */
#ifndef CUA_TRIAL_H
#define CUA_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/policy.h"
#include "facts/facts.h"
#include "machine/settings.h"

#define CUA_TRIAL_FILES 4
#define CUA_TRIAL_GPUS  64

enum cua_trial_how {
    CUA_TRIAL_UNTRIED, /* `trouble` says why */
    CUA_TRIAL_RAN,
    CUA_TRIAL_UNLOADED, /* the file does not load; step "needs": something that it needs is absent
                         */
    CUA_TRIAL_TIMEOUT,
    CUA_TRIAL_BROKEN, /* the child ended without an answer */
};

/* What came of one file. */
struct cua_trial {
    enum cua_trial_how how;
    bool left_behind; /* not reaped after the kill within a second */
    int code;         /* cuInit's; then the first failing step's; nvmlInit_v2's. -1 none */
    int native;       /* the native driver's in the same run, where it was tried; -1 none */
    char name[64];    /* CUDA_ERROR_... */
    char step[32];    /* "dlopen", "needs", "cuInit", "devices", "cc": the one that failed, or "" */
    int driver;       /* cuDriverGetVersion, 0 unknown */
    int devices;      /* cuDeviceGetCount, nvmlDeviceGetCount_v2; -1 unknown */
    unsigned lowest_cc; /* 75; 0 unknown */
    char trouble[160];
};

/* Whom to ask what. A trial is of the process that asks: there is none of another subject. */
struct cua_trial_request {
    const struct cua_settings *settings;
    enum cua_trial_kind when;  /* never: nothing is done; auto: only where it can be kept */
    unsigned limit;            /* seconds, of all that this process ever waits for trials */
    const char *kmd;           /* the kernel driver's version, as far as it is known */
    const struct cua_gpu *gpu; /* all that are present, visible or not */
    size_t gpus;
    /* Absolute paths that this process can open. */
    const char *nvml;   /* the native driver's NVML; NULL: it is not asked */
    const char *native; /* the native driver, for where it makes a difference; NULL */
    const char *file[CUA_TRIAL_FILES]; /* the loader's choice first; NULL after the last one */
};

/* Large: not for a stack. */
struct cua_trial_answers {
    struct cua_trial nvml;
    struct cua_gpu gpu[CUA_TRIAL_GPUS]; /* as NVML has them; nvml.devices tells how many */
    size_t gpus;                        /* fewer than nvml.devices where it did not tell all */
    struct cua_trial file[CUA_TRIAL_FILES];
};

/* Asks NVML and then tries the files, in order, within one limit, or takes what was kept of that
 * (cache.h). 0, or -errno of what kept the rest from being tried, which is CUA_TRIAL_UNTRIED:
 * -EROFS no folder for answers, -EBUSY another's trial took the time, -ETIME this process has
 * waited enough before, -EINTR a signal, -ENODEV NVML counts no GPU, -ECANCELED trials are off,
 * else no child could be started. */
int cua_trial_ask(struct cua_trial_answers *answers, const struct cua_trial_request *request);

/* The same -errno in words. */
const char *cua_trial_why_not(int err);

/* file[0] alone, now, whatever was kept. 0 or -errno. */
int cua_trial_run(struct cua_trial *trial, const struct cua_trial_request *request);

/* Whether it is the file that does not load: the native driver does, in the same run, and nothing
 * is absent that the program may know where to find. What codes count, the rules say. */
bool cua_trial_refused(const struct cua_trial *trial);

/* NVML's word into the facts, before that of the tables; what it does not say stays as it was. */
void cua_trial_take_gpus(struct cua_facts *facts, const struct cua_trial_answers *answers);

#endif
