/* SPDX-License-Identifier: Apache-2.0 */
/* The request for trials, and their results: types that all files of trial/ share. A trial tries
 * one file in a child process: it calls cuInit of a libcuda, or asks an NVML for the GPUs. The
 * native driver is the kernel driver's own libcuda (facts/native.h). */
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
    CUA_TRIAL_UNTRIED, /* not tried; `trouble` says why */
    CUA_TRIAL_RAN,
    CUA_TRIAL_UNLOADED, /* the file does not load, or lacks a function that a trial calls */
    CUA_TRIAL_TIMEOUT,
    /* The child ended without an answer, or the file did not load for a reason that lies in the
     * system, such as too little memory. */
    CUA_TRIAL_BROKEN,
};

/* The step that failed, or that did not finish. */
enum cua_trial_step {
    CUA_STEP_NONE,
    CUA_STEP_LOAD,
    CUA_STEP_NEEDS, /* part of loading: a library that the file needs was not found */
    CUA_STEP_INIT,
    CUA_STEP_DEVICES,
    CUA_STEP_CC,
    CUA_STEP_CONTEXT, /* this and CUA_STEP_KERNEL: only if the trial runs a kernel */
    CUA_STEP_KERNEL,
};

/* Why a trial did not take place. Functions that return one of these return -errno if a child could
 * not be started. */
enum cua_trial_bar {
    CUA_BAR_NONE,
    CUA_BAR_OFF,       /* the policy forbids trials */
    CUA_BAR_CUT,       /* the shim has left out a part of the environment (answer/main.c) */
    CUA_BAR_NO_FOLDER, /* no folder can cache the answer, and the policy requires that */
    CUA_BAR_NO_KEY,    /* nothing tells its boot and GPUs apart from others (cua_trial_key_make) */
    CUA_BAR_BUSY,      /* another process's trial used up the time limit */
    CUA_BAR_WAITED,    /* this process has used up its time for trials */
    CUA_BAR_SIGNAL,    /* a signal asks this process to end */
    /* The helper's file belongs neither to root, nor to this user, nor to the owner of this
     * process's executable. */
    CUA_BAR_STRANGER,
    CUA_BAR_NO_COMMAND, /* the helper's file, or the ld.so that it needs, is missing */
    CUA_BAR_NO_GPU,     /* NVML counts no GPU */
    CUA_BAR_MOOT,       /* nobody needs the answer any more (`moot` of the request) */
};

/* The result for one file. */
struct cua_trial {
    enum cua_trial_how how;
    /* The child could not be reaped within a second after it was killed. */
    bool left_behind;
    /* The code of cuInit, or of the step that failed. For an NVML: the code of nvmlInit_v2 or, if
     * that is 0, of nvmlDeviceGetCount_v2. -1: none. */
    int code;
    /* The native driver's result of cuInit in the same run; -1: it was not tried, or gave no
     * answer. */
    int native;
    char name[64];            /* the code's name, CUDA_ERROR_... */
    enum cua_trial_step step; /* the step that failed */
    int driver;               /* result of cuDriverGetVersion; 0: not known */
    /* Result of cuDeviceGetCount or nvmlDeviceGetCount_v2; -1: not known. */
    int devices;
    unsigned lowest_cc; /* lowest compute capability, 75 for 7.5; 0: not known */
    char trouble[160];
};

/* Which drivers to try, and how. Trials show what works for this process on this machine, so there
 * are none for a sysroot or another process. */
struct cua_trial_request {
    const struct cua_settings *settings;
    /* NEVER: no trial; AUTO: only if the answer can be cached; ALWAYS: also if it cannot. */
    enum cua_trial_kind when;
    unsigned limit;            /* seconds that this process may wait for trials, in total */
    const char *kmd;           /* the kernel driver's version, if known */
    const struct cua_gpu *gpu; /* the GPUs that the process may use, hidden ones too */
    size_t gpus;
    /* The paths below are absolute, and this process can open them. */
    const char *nvml; /* NVML of the native driver; NULL: NVML is not asked */
    /* The native driver. It is tried too if a file does not load or answers 100: that shows whether
     * the file is at fault. NULL: not tried. */
    const char *native;
    /* The files to try, in this order; NULL after the last one. */
    const char *file[CUA_TRIAL_FILES];
    bool kernel; /* run a kernel on each GPU after cuInit; only for cua_attempt */
    /* Called before a trial, and while waiting for another process's trial. True: the answer is no
     * longer needed. NULL: it is always needed. */
    bool (*moot)(const void *about);
    const void *about;
};

/* Too large for a stack: allocate it. */
struct cua_trial_answers {
    struct cua_trial nvml;
    struct cua_gpu gpu[CUA_TRIAL_GPUS]; /* as NVML lists them */
    /* Number of GPUs in `gpu`. It is less than nvml.devices, NVML's count, if NVML did not report
     * all. */
    size_t gpus;
    struct cua_trial file[CUA_TRIAL_FILES];
};

#endif
