/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that is being made: the files of an archive or a folder, in the staging folder, and the
 * part of them that is kept as a driver. */
#ifndef CUA_STAGE_H
#define CUA_STAGE_H

#include <stdbool.h>

#include "base/version.h"
#include "store/folder.h"

#define CUA_STAGE_FOLDERS  32
#define CUA_STAGE_MANIFEST ".manifest" /* the manifest of an imported driver */

struct cua_staged {
    char name[CUA_MEMBER_NAME]; /* file name, without folders */
    /* Number of its folder in the archive; until one folder is chosen, the file is named
     * FOLDER-NAME. */
    unsigned folder;
    uint64_t size;
    char sha256[CUA_SHA256_TEXT];
};

struct cua_stage {
    struct cua_store *store;
    int dir;
    char folder[CUA_STAGE_FOLDERS][512];
    unsigned folders, files;
    /* Depth of the folder that the kept licence came from, from 1; 0: no licence is kept. */
    unsigned depth;
    uint64_t bytes;
    bool imports; /* take a manifest, as CUA_STAGE_MANIFEST */
    struct cua_staged file[CUA_MEMBERS_MOST];
    struct cua_version version; /* valid once the driver is made */
    unsigned cuda;              /* CUDA in the note of its libcuda; 0: not known */
};

/* Each of these returns false with the reason in stage->store->why. */

/* Reads the files that a child sends through `pipe`. */
bool cua_stage_stream(struct cua_stage *stage, int pipe);
/* Takes the files in a folder, or in its compat, lib or lib64. */
bool cua_stage_folder(struct cua_stage *stage, const char *path);

#endif
