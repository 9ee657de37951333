/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter report`: prints a text to attach to a bug report. */
#ifndef CUA_BUG_REPORT_H
#define CUA_BUG_REPORT_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_report;

#endif
