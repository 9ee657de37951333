/* SPDX-License-Identifier: Apache-2.0 */
/* The option --output FILE: redirects stdout to a file. An existing regular file is either replaced
 * completely or left unchanged. */
#ifndef CUA_OUTPUT_H
#define CUA_OUTPUT_H

/* Redirects stdout to a new file beside FILE; if FILE exists and is no regular file (a pipe, a
 * device), to FILE itself. Returns 0, or CUA_EXIT_USAGE after an error message. Call it once per
 * process. */
int cua_output_to(const char *file);

/* Renames the new file to FILE. Deletes it instead if nothing was written, or if `code` is
 * CUA_EXIT_USAGE. Does nothing if there is no new file. Returns `code`, or CUA_EXIT_OUTPUT after an
 * error message. */
int cua_output_keep(int code);
/* Deletes the new file. */
void cua_output_drop(void);

/* For error messages: FILE, or "standard output" without --output. */
const char *cua_output_name(void);

#endif
