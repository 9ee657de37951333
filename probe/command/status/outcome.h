/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the first lines of `status`: what a program that is started now gets, and what it would
 * get with cuarbiter or without it. */
#ifndef CUA_OUTCOME_H
#define CUA_OUTCOME_H

#include "command/status/report.h"

void cua_outcome_print(const struct cua_report *report);

#endif
