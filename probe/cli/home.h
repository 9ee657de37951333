/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the folder of shim, answerer and command. */
#ifndef CUA_HOME_H
#define CUA_HOME_H

/* The folder of shim, answerer and command, without a slash at its end. If the command is a link,
 * it is the folder that the link leads to. "" if the folder cannot be found out. */
const char *cua_home_folder(void);

/* Writes the path of the shim beside the command, for LD_PRELOAD, to `path` (PATH_MAX bytes).
 * Returns NULL on success; else why it cannot be used, with the offending file in `path`. */
const char *cua_home_shim(char *path);

#endif
