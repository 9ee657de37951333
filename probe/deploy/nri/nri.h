/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter node nri`: a plugin for NRI, the interface by which containerd lets other programs
 * adjust the containers of pods. The plugin adds cuarbiter's OCI hook (deploy/hook) to each new
 * container; the hook then finds out whether the container has a GPU. If the plugin fails or ends,
 * containerd still starts pods, without the hook. */
#ifndef CUA_NRI_H
#define CUA_NRI_H

#include <stdbool.h>

/* containerd starts the plugin by a link in CUA_NRI_FOLDER, whose name is the index (two digits), a
 * hyphen and the plugin's name. If something else starts the plugin, such as systemd, the plugin
 * connects to CUA_NRI_SOCKET. */
#define CUA_NRI_NAME   "cuarbiter"
#define CUA_NRI_INDEX  "10"
#define CUA_NRI_FOLDER "/opt/nri/plugins"
#define CUA_NRI_SOCKET "/var/run/nri/nri.sock"

/* Called by main() if there are no arguments. Whether containerd has started this program as the
 * plugin: `program` (argv[0]) has the name of such a link, with any index, and the environment
 * names a socket. */
bool cua_nri_launched(const char *program);

/* Connects to containerd, and serves it until containerd closes the connection or something fails.
 * `command`: path of cuarbiter's command on the node. Always returns 1, after an error message that
 * gives the reason for the end. */
int cua_nri(const char *command);

/* Whether a plugin of cuarbiter's on this node now adds the hook to new containers. */
bool cua_nri_runs(void);

#endif
