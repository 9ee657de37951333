/* SPDX-License-Identifier: Apache-2.0 */
/* For `cuarbiter node check`: shows the drivers that `cuarbiter driver add` has brought to the
 * node. Says for each which programs in containers can get it, or why none can, or why that is not
 * known. */
#ifndef CUA_NODE_DRIVERS_H
#define CUA_NODE_DRIVERS_H

/* cua_node_drivers prints the drivers in the node's store, the folder of the brought drivers.
 * cua_node_drivers_json writes them as the member "store". Both take the store that cuarbiter's OCI
 * hook uses if it is installed in `folder`. `root`: "" for this machine; else the root folder of
 * another node, and `folder` is a path inside it. If there is no driver, the first prints nothing
 * and the second writes null. If the store is refused, for example because other users can write to
 * it, both give the reason. */
void cua_node_drivers(const char *root, const char *folder);
void cua_node_drivers_json(const char *root, const char *folder);

#endif
