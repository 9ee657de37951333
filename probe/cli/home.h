/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the folder that has cuarbiter's three files: the shim (libcuarbiter.so, for LD_PRELOAD),
 * the answerer (the program that the shim starts) and the command (`cuarbiter`, this program). */
#ifndef CUA_HOME_H
#define CUA_HOME_H

/* The path of that folder, without a slash at its end. If the command was started by a symbolic
 * link, it is the folder of the file that the link leads to. "" if the folder cannot be found. */
const char *cua_home_folder(void);

/* Writes the path of the shim to `path` (PATH_MAX bytes). Returns NULL if LD_PRELOAD can name the
 * shim, and the answerer can be executed. Otherwise returns the reason, and `path` is that of the
 * file at fault, the shim or the answerer. If the folder cannot be found, it is the shim's file
 * name alone. */
const char *cua_home_shim(char *path);

#endif
