/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter node collect`: takes the reports of the containers that the hook has served. */
#ifndef CUA_COLLECT_H
#define CUA_COLLECT_H

#define CUA_REPORTS     "reports.jsonl"
#define CUA_REPORTS_OLD "reports.1.jsonl"

/* Listens on the socket in CUA_DIR_REPORTS, which it makes anew, and writes to CUA_REPORTS in
 * CUA_DIR_LOG, until SIGTERM or SIGINT. Returns 0; or 1, after a complaint, if it cannot. */
int cua_collect(void);

#endif
