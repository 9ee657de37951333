/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the drivers that were brought to the node, as `node check` does: which programs in
 * containers can get each, or why none does. */
#ifndef CUA_NODE_DRIVERS_H
#define CUA_NODE_DRIVERS_H

/* Reads the store that the hook of the files in `folder` would use. `root`: "" for this machine,
 * else another node's root, below which that folder is looked for. cua_node_drivers prints nothing
 * if no driver was brought; cua_node_drivers_json writes the member "store", which is null then. */
void cua_node_drivers(const char *root, const char *folder);
void cua_node_drivers_json(const char *root, const char *folder);

#endif
