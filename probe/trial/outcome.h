/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a trial, and what came of it: the types that all files of this room share. */
#ifndef CUA_TRIAL_OUTCOME_H
#define CUA_TRIAL_OUTCOME_H

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
    CUA_TRIAL_UNLOADED, /* the file does not load */
    CUA_TRIAL_TIMEOUT,
    CUA_TRIAL_BROKEN, /* the child ended without an answer */
};

/* The step that failed or did not end. */
enum cua_trial_step {
    CUA_STEP_NONE,
    CUA_STEP_LOAD,
    CUA_STEP_NEEDS, /* loading: a library that the file needs was not found */
    CUA_STEP_INIT,
    CUA_STEP_DEVICES,
    CUA_STEP_CC,
};

/* Why a trial did not take place, besides the -errno of a child that could not be started. */
enum cua_trial_bar {
    CUA_BAR_NONE,
    CUA_BAR_OFF,       /* the policy forbids trials */
    CUA_BAR_NO_FOLDER, /* no folder keeps the answer */
    CUA_BAR_BUSY,      /* another process's trial took the time */
    CUA_BAR_WAITED,    /* this process has waited long enough before */
    CUA_BAR_SIGNAL,    /* a signal asks this process to end */
    CUA_BAR_NO_GPU,    /* NVML counts none */
};

/* What came of one file. */
struct cua_trial {
    enum cua_trial_how how;
    bool left_behind;         /* not reaped after the kill within a second */
    int code;                 /* cuInit's; then the first failing step's; nvmlInit_v2's. -1 none */
    int native;               /* the native driver's in the same run, where it was tried; -1 none */
    char name[64];            /* CUDA_ERROR_... */
    enum cua_trial_step step; /* the one that failed */
    int driver;               /* cuDriverGetVersion, 0 unknown */
    int devices;              /* cuDeviceGetCount, nvmlDeviceGetCount_v2; -1 unknown */
    unsigned lowest_cc;       /* 75; 0 unknown */
    char trouble[160];
};

/* Which drivers to try, and how. Trials are run for this process, never for another subject. */
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
    struct cua_gpu gpu[CUA_TRIAL_GPUS]; /* as NVML has them; nvml.devices: how many */
    size_t gpus;                        /* fewer than nvml.devices where it did not tell all */
    struct cua_trial file[CUA_TRIAL_FILES];
};

#endif
