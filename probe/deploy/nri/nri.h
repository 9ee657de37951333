/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin for NRI, the interface by which containerd lets other programs adjust the containers of
 * pods. The plugin adds the hook to each container; the hook then finds out whether the container
 * has a GPU. If the plugin fails or ends, containerd still starts pods, without the hook. */
#ifndef CUA_NRI_H
#define CUA_NRI_H

#include <stdbool.h>

/* The link by which containerd starts the plugin: two digits (the index), a hyphen, and the
 * name. */
#define CUA_NRI_NAME   "cuarbiter"
#define CUA_NRI_INDEX  "10"
#define CUA_NRI_FOLDER "/opt/nri/plugins"
#define CUA_NRI_SOCKET "/var/run/nri/nri.sock"

/* Whether containerd has started this program as the plugin: by a link of this form, and with a
 * socket. */
bool cua_nri_launched(const char *program);

/* Connects to containerd and serves until containerd closes the connection. `command`: path of
 * cuarbiter's command on the node. Prints why it ends, and returns the exit code, never 0. */
int cua_nri(const char *command);

/* Whether a plugin of cuarbiter's serves containerd on this node now. */
bool cua_nri_runs(void);

#endif
