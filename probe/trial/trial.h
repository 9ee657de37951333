/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trying a driver: cuInit of one very file in a child process, because a process that failed cuInit
 * once cannot try another. The child is the command, executed as `cuarbiter trial --helper`,
 * without LD_PRELOAD, without inherited descriptors, and with nothing for the program's SIGCHLD
 * handler or wait; child.h tells how. The calling thread stands still meanwhile.
 */
#ifndef CUA_TRIAL_H
#define CUA_TRIAL_H

#include "machine/settings.h"

struct cua_trial {
    enum { CUA_TRIAL_RAN, CUA_TRIAL_TIMEOUT, CUA_TRIAL_BROKEN } how;
    bool left_behind; /* not reaped after the kill within a second */
    int code;         /* cuInit's; then the first failing step's */
    char name[64];    /* CUDA_ERROR_... */
    char step[32]; /* "dlopen", "cuInit", "devices", "cc", "context": the one that failed, or "" */
    int driver;    /* cuDriverGetVersion, 0 unknown */
    int devices;   /* cuDeviceGetCount, -1 unknown */
    unsigned lowest_cc; /* 75; 0 unknown */
    char trouble[160];
};

/* `file`: absolute. `contexts`: also retain and release a primary context on every visible GPU. 0,
 * or -errno where no child could be started: -EINTR where a signal of the terminal came for the
 * whole process group. */
int cua_trial_run(struct cua_trial *trial, const struct cua_settings *settings, const char *file,
                  unsigned timeout, bool contexts);

#endif
