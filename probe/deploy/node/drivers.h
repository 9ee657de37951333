/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the drivers that were brought to the node (by `driver add`), for `node check`: for each,
 * which programs in containers can get it, or why none can. */
#ifndef CUA_NODE_DRIVERS_H
#define CUA_NODE_DRIVERS_H

/* Both look into the node's store, the folder that has the brought drivers, as the OCI hook
 * installed in `folder` would find it. `root`: "" for this machine; else the root of another node,
 * and `folder` is a path inside it. cua_node_drivers_json writes the member "store". If no driver
 * was brought, and the store is not refused, "store" is null and cua_node_drivers prints
 * nothing. */
void cua_node_drivers(const char *root, const char *folder);
void cua_node_drivers_json(const char *root, const char *folder);

#endif
