/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter node collect`: collects reports. A report is the log line about a process's libcuda,
 * which the process sends from a container to which the OCI hook has added cuarbiter. */
#ifndef CUA_COLLECT_H
#define CUA_COLLECT_H

#define CUA_REPORTS     "reports.jsonl"
#define CUA_REPORTS_OLD "reports.1.jsonl"

/* Makes a new socket in CUA_DIR_REPORTS, and appends the reports that it receives to CUA_REPORTS in
 * CUA_DIR_LOG, until SIGTERM or SIGINT. A full CUA_REPORTS becomes CUA_REPORTS_OLD. Returns 0; or 1
 * after an error message. */
int cua_collect(void);

#endif
