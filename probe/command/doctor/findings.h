/* SPDX-License-Identifier: Apache-2.0 */
/* The report that `cuarbiter doctor` prints after the command has ended. Shim: libcuarbiter.so,
 * which LD_PRELOAD loads into the command's processes. Answerer: the program that chooses a libcuda
 * for the shim. */
#ifndef CUA_DOCTOR_FINDINGS_H
#define CUA_DOCTOR_FINDINGS_H

#include "command/doctor/audit_log.h"
#include "command/doctor/error_scan.h"
#include "command/doctor/watch.h"

/* Writes the report to stderr. `blind`: why the LD_AUDIT module, which reports mapped libraries and
 * cuInit, was not used; NULL: it was used. `exit_code`: the command's. */
void cua_doctor_report(const struct cua_seen_all *all, const struct cua_error_scan *scan,
                       const struct cua_watch *watch, const char *blind, int exit_code);

/* Writes the findings as JSON to stdout. */
void cua_doctor_json(const struct cua_seen_all *all, const struct cua_error_scan *scan,
                     const struct cua_watch *watch, const char *blind, int exit_code);

#endif
