/* SPDX-License-Identifier: Apache-2.0 */
/* Where shim, engine and command lie. */
#ifndef CUA_HOME_H
#define CUA_HOME_H

/* The folder that shim, engine and command lie in (links of the command followed), without a slash
 * at its end; "" where it cannot be found out. */
const char *cua_home_folder(void);

/* The shim beside the command, as an entry of LD_PRELOAD; NULL, or why it cannot and in `path` the
 * file that is in the way. `path` has PATH_MAX bytes. */
const char *cua_home_shim(char *path);

#endif
