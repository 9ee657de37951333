/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the report as JSON. */
#ifndef CUA_REPORT_JSON_H
#define CUA_REPORT_JSON_H

#include "command/status/report.h"
#include "facts/facts.h"

/* Writes the members of the status object (docs/status.schema.json); the caller opens and closes
 * the object. */
void cua_report_json(const struct cua_report *report);

/* Writes the members of an object about one libcuda file. `subject`: the process or image in which
 * the file was found; the file is opened through it. */
void cua_umd_json(const struct cua_umd *umd, const struct cua_subject *subject);

#endif
