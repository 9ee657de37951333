/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter node collect`, the collector. A report is a log line that says which libcuda a process
 * gets, and why. It comes from a container to which cuarbiter's OCI hook (deploy/hook) has added
 * cuarbiter. */
#ifndef CUA_COLLECT_H
#define CUA_COLLECT_H

#define CUA_REPORTS     "reports.jsonl"
#define CUA_REPORTS_OLD "reports.1.jsonl"

/* Makes a new socket in CUA_DIR_REPORTS, and appends the reports that it receives to CUA_REPORTS in
 * CUA_DIR_LOG, until SIGTERM or SIGINT. A full CUA_REPORTS becomes CUA_REPORTS_OLD. Returns 0; or 1
 * after an error message. */
int cua_collect(void);

#endif
