/* SPDX-License-Identifier: Apache-2.0 */
/* --output FILE: redirects stdout to a file. An existing file is either replaced completely or left
 * unchanged. */
#ifndef CUA_OUTPUT_H
#define CUA_OUTPUT_H

/* Redirects stdout, from now on, to a new file beside FILE; if FILE is no regular file (a pipe, a
 * device), to FILE itself. Returns 0, or CUA_EXIT_USAGE after an error message. Call it once per
 * process. */
int cua_output_to(const char *file);

/* Puts the new file in FILE's place. Drops it if nothing was written, or if `code` means that the
 * command line was refused. Does nothing without --output. Returns `code`, or CUA_EXIT_OUTPUT after
 * an error message. */
int cua_output_keep(int code);
void cua_output_drop(void);

/* The name of what stdout is written to: FILE, or "standard output". */
const char *cua_output_name(void);

#endif
