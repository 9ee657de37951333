/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin for NRI, by which containerd lets other programs adjust the containers of pods: it adds
 * the hook to each of them. The hook then finds out which have a GPU. Whatever becomes of the
 * plugin, containerd starts pods, without the hook. */
#ifndef CUA_NRI_H
#define CUA_NRI_H

#include <stdbool.h>

/* The link by which containerd starts the plugin: two digits, a minus, and the name. */
#define CUA_NRI_NAME   "cuarbiter"
#define CUA_NRI_INDEX  "10"
#define CUA_NRI_FOLDER "/opt/nri/plugins"
#define CUA_NRI_SOCKET "/var/run/nri/nri.sock"

/* Whether this program was started by containerd, as the plugin: by such a link, with a socket. */
bool cua_nri_launched(const char *program);

/* Connects to containerd and serves until it closes the connection. `command` is the path of the
 * command on the node. Returns the exit code, never 0, after printing why it ends. */
int cua_nri(const char *command);

#endif
