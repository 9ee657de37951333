/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter status`: shows drivers, GPUs, the libcuda that cuarbiter chooses, and why. */
#ifndef CUA_VERB_STATUS_H
#define CUA_VERB_STATUS_H

#include <stdbool.h>

#include "cli/options.h"
#include "command/status/report.h"
#include "cli/verb.h"

extern const struct cua_verb cua_verb_status;

#define CUA_STATUS_GPUS 256

/* What to examine, as the options say. All zero: this machine. */
struct cua_status_options {
    struct cua_overrides overrides;
    const char *gpu[CUA_STATUS_GPUS], *cc[CUA_STATUS_GPUS], *sysroot;
    pid_t pid;          /* the process to examine; 0: none */
    struct cua_env env; /* --env: the environment of an unpacked image; empty: this process's */
};

/* Stores the option --kmd, --gpu, --cc or --sysroot, given by its letter in manual.c. `value` must
 * live as long as `options`. Returns NULL, or what is wrong with it. */
const char *cua_status_take(struct cua_status_options *options, int option, const char *value);

/* Makes the report that `status` prints without options; the caller prints it. The report must be
 * all zero before, and is freed by cua_report_free(). False after an error message. */
bool cua_status_here(struct cua_report *report);

/* Makes the report for what the options name. If `libcuda` is not NULL, it replaces
 * CUARBITER_LIBCUDA, and the policy is auto. With options->sysroot, this function may be called
 * only once per process. False after an error message. */
bool cua_status_of(struct cua_report *report, const struct cua_status_options *options,
                   const char *libcuda);

#endif
