/* SPDX-License-Identifier: Apache-2.0 */
/* --output FILE: what goes to stdout goes into a file, which has all of it or stays as it was. */
#ifndef CUA_OUTPUT_H
#define CUA_OUTPUT_H

/* From here on stdout is a new file beside FILE; anything but a regular file is written as it is.
 * 0, or CUA_EXIT_USAGE after a complaint. Once a process. */
int cua_output_to(const char *file);

/* Puts the new file in FILE's place, unless nothing was written or `code` is one of a command line
 * that was refused. Nothing where there is no --output. Returns `code`, or CUA_EXIT_OUTPUT after a
 * complaint. */
int cua_output_keep(int code);
void cua_output_drop(void);

#endif
