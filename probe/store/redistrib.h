/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA's manifest of a CUDA release, redistrib_X.Y.Z.json: address, size and checksum of each
 * archive. Nobody outside NVIDIA has checked these checksums, and some were wrong once. So the
 * manifest is read only if the user asks for that, and only for a driver that data/packages.tsv
 * lacks. */
#ifndef CUA_REDISTRIB_H
#define CUA_REDISTRIB_H

#include "store/folder.h"

/* What a manifest says of the driver for this machine's architecture. */
struct cua_announced {
    struct cua_version version;
    char path[512]; /* path of the archive, relative to the manifest's folder */
    char sum[CUA_SHA256_TEXT];
    uint64_t size; /* in bytes */
};

/* Fetches the manifest at `address` and reads it. False, with the reason in store->why. */
bool cua_redistrib_read(struct cua_announced *announced, const char *address,
                        struct cua_store *store);

#endif
