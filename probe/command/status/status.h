/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter status`: drivers, GPUs, the verdict and its reason. */
#ifndef CUA_VERB_STATUS_H
#define CUA_VERB_STATUS_H

#include <stdbool.h>

#include "command/options.h"
#include "command/status/report.h"
#include "command/verb.h"

extern const struct cua_verb cua_verb_status;

#define CUA_STATUS_GPUS 256

/* Options that name what is looked at. Zeroed: this machine. */
struct cua_status_options {
    struct cua_overrides overrides;
    const char *gpu[CUA_STATUS_GPUS], *cc[CUA_STATUS_GPUS], *sysroot;
    pid_t pid;          /* 0: none */
    struct cua_env env; /* of an unpacked image; none: this process's */
};

/* Takes --kmd (mounted), --gpu, --cc or --sysroot by its letter; a value stays the caller's. NULL,
 * or what is wrong with it. */
const char *cua_status_take(struct cua_status_options *options, int option, const char *value);

/* What `status` prints without options, for the caller to print. The report is all zero before, and
 * freed by cua_report_free(). False after a complaint. */
bool cua_status_here(struct cua_report *report);

/* The same of another machine, with `libcuda` in the place of CUARBITER_LIBCUDA (NULL: that stays).
 * Once a process. False after a complaint. */
bool cua_status_of(struct cua_report *report, const struct cua_status_options *options,
                   const char *libcuda);

#endif
