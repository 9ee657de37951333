/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the report as Prometheus metrics. */
#ifndef CUA_REPORT_PROM_H
#define CUA_REPORT_PROM_H

#include "command/status/report.h"

void cua_report_prom(const struct cua_report *report);

#endif
