/* SPDX-License-Identifier: Apache-2.0 */
/* Sends the decision for a program to the collector of its node (`cuarbiter node collect`), whose
 * socket cuarbiter's OCI hook has mounted in the container. Only the answerer, the process that
 * decides for a program (asker.h), does that. */
#ifndef CUA_REPORT_H
#define CUA_REPORT_H

#include <stdbool.h>
#include <stddef.h>

/* The longest line that the collector takes, in bytes. */
#define CUA_REPORT_MOST 8192

/* Whether this container has the collector's socket and this process may send to it. Always false
 * in the command, and if the shim does not come from the OCI hook. Only the first call looks the
 * socket up, by one system call. Not thread-safe. */
bool cua_report_wanted(void);

/* Sends a line without waiting. If nobody listens, or the socket's queue is full, the line is
 * lost. */
void cua_report_send(const char *line, size_t size);

#endif
