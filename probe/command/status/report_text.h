/* SPDX-License-Identifier: Apache-2.0 */
/* The report as text for a terminal. */
#ifndef CUA_REPORT_TEXT_H
#define CUA_REPORT_TEXT_H

#include "command/status/report.h"

void cua_report_text(const struct cua_report *report);

#endif
