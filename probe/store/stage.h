/* SPDX-License-Identifier: Apache-2.0 */
/* Stages a driver that is to be added to a store: copies the files of an archive or a folder to the
 * staging folder (cua_store_stage). Some of them then become the driver (finish.h). An imported
 * driver comes from a file that cua_export wrote (export.h). */
#ifndef CUA_STAGE_H
#define CUA_STAGE_H

#include <stdbool.h>

#include "base/version.h"
#include "store/folder.h"

#define CUA_STAGE_FOLDERS  32
#define CUA_STAGE_MANIFEST ".manifest" /* an imported driver's own manifest, as staged */

struct cua_staged {
    char name[CUA_MEMBER_NAME]; /* file name, without folders */
    /* The file's folder in the archive, an index into cua_stage.folder. The staged file is named
     * INDEX-NAME until cua_stage_finish has chosen the folder that becomes the driver. */
    unsigned folder;
    uint64_t size;
    char sha256[CUA_SHA256_TEXT];
};

struct cua_stage {
    struct cua_store *store;
    int dir;
    char folder[CUA_STAGE_FOLDERS][512];
    unsigned folders, files;
    /* Depth of the folder in which the kept licence was, counted from 1; 0: no licence is kept. */
    unsigned depth;
    uint64_t bytes;
    bool imports; /* the driver is imported: stage its manifest too, as CUA_STAGE_MANIFEST */
    struct cua_staged file[CUA_MEMBERS_MOST];
    struct cua_version version; /* valid after cua_stage_finish */
    unsigned cuda;              /* CUDA version in the ELF note of its libcuda; 0: not known */
};

/* On failure both functions return false, with the reason in stage->store->why. */

/* Copies the files that a child process, which runs cua_unpack, sends through `pipe`. */
bool cua_stage_stream(struct cua_stage *stage, int pipe);
/* Copies the files in a folder and in its subfolders compat, lib and lib64. Skips links, manifests,
 * and files that cua_member_of does not accept. */
bool cua_stage_folder(struct cua_stage *stage, const char *path);

#endif
