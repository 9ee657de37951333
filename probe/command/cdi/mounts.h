/* SPDX-License-Identifier: Apache-2.0 */
/* What a container gets mounted: the folder, the loader's preload file and the site file. */
#ifndef CUA_CDI_MOUNTS_H
#define CUA_CDI_MOUNTS_H

#include <stdbool.h>
#include <stdio.h>

#define CUA_CDI_INSIDE  "/opt/cuarbiter" /* where the container sees the folder */
#define CUA_CDI_PRELOAD "ld.so.preload"
#define CUA_CDI_SITE    "cuarbiter.conf"

struct cua_cdi_mount {
    const char *host;      /* below the folder, with its slash; "" is the folder itself */
    const char *container; /* the path inside */
    bool preload;          /* left out where LD_PRELOAD is a variable */
};

#define CUA_CDI_MOUNTS 3
extern const struct cua_cdi_mount cua_cdi_mounts[CUA_CDI_MOUNTS];

/* Checks the three files, writes the two that are mounted where they are missing, and warns of what
 * other users could not read. `folder` is absolute and without links. 0, or -errno after a
 * complaint. */
int cua_cdi_prepare(const char *folder, bool env);

/* a and b as one string in double quotes, as JSON and YAML read it. */
void cua_cdi_string(FILE *out, const char *a, const char *b);

#endif
