/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter status`: drivers, GPUs, the verdict and its reason. */
#ifndef CUA_VERB_STATUS_H
#define CUA_VERB_STATUS_H

#include <stdbool.h>

#include "command/status/report.h"
#include "command/verb.h"

extern const struct cua_verb cua_verb_status;

/* What `status` prints without options, for the caller to print. The report is all zero before, and
 * freed by cua_report_free(). False after a complaint. */
bool cua_status_here(struct cua_report *report);

/* The same of a machine that the overrides change, of the unpacked image `sysroot`, with `libcuda`
 * in the place of CUARBITER_LIBCUDA; each may be NULL. Once a process. */
bool cua_status_of(struct cua_report *report, const struct cua_overrides *overrides,
                   const char *sysroot, const char *libcuda);

#endif
