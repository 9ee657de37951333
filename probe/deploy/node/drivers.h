/* SPDX-License-Identifier: Apache-2.0 */
/* For `cuarbiter node check`: shows the drivers that `cuarbiter driver add` has brought to the
 * node. Says for each which programs in containers can get it, or why none can. */
#ifndef CUA_NODE_DRIVERS_H
#define CUA_NODE_DRIVERS_H

/* Both functions look into the node's store, the folder that has the brought drivers, as
 * cuarbiter's OCI hook installed in `folder` would find it. `root`: "" for this machine; else the
 * root folder of another node, and `folder` is a path inside it. cua_node_drivers_json writes the
 * member "store". If there is no driver, "store" is null and cua_node_drivers prints nothing. If
 * the store is refused, for example because other users can write to it, both give the reason. */
void cua_node_drivers(const char *root, const char *folder);
void cua_node_drivers_json(const char *root, const char *folder);

#endif
