/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the drivers that were brought to the node, for `node check`: for each, which programs in
 * containers can get it, or why none can. */
#ifndef CUA_NODE_DRIVERS_H
#define CUA_NODE_DRIVERS_H

/* Both functions read the store that the hook in `folder` would use. `root`: "" for this machine,
 * else another node's root, which contains `folder`. cua_node_drivers_json writes the member
 * "store". If no driver was brought, "store" is null, and cua_node_drivers prints nothing. */
void cua_node_drivers(const char *root, const char *folder);
void cua_node_drivers_json(const char *root, const char *folder);

#endif
