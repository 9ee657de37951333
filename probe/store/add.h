/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a driver to a store: what was asked for, where the driver comes from, and how it gets into
 * the store. */
#ifndef CUA_ADD_H
#define CUA_ADD_H

#include <stdbool.h>

#include "store/folder.h"
#include "store/package.h"

struct cua_add {
    /* The request: */
    const char *what;         /* a CUDA version, a driver version, a file or a folder */
    const char *url, *sha256; /* NULL: as the table says */
    const char *mirror;       /* replaces CUA_PACKAGE_BASE; NULL: none */
    bool bar;                 /* show curl's progress bar */
    /* Called if the plan has no package, once the driver is unpacked and before a program can get
     * it; `cuda` is 0 if its note has none. False, with the reason in store->why: it is not
     * added. NULL: no call. */
    bool (*accept)(void *data, struct cua_store *store, const struct cua_version *version,
                   unsigned cuda);
    void *data;
    bool imports; /* `what` is a file that cua_export wrote: it must be as its manifest says */
    bool dry;     /* end after that call, without adding anything */
    /* The plan: */
    enum { CUA_ADD_FETCH, CUA_ADD_FILE, CUA_ADD_FOLDER } kind;
    const struct cua_package *package; /* NULL: not in the table */
    struct cua_version version;        /* not known for a file or a folder */
    char address[2048];
    char sum[CUA_SHA256_TEXT]; /* the sum that the archive must have; "": any, for a file only */
};

/* Fills in the plan; reads and changes nothing. False, with the reason in store->why. */
bool cua_add_plan(struct cua_add *add, struct cua_store *store);

/* The result, for a locked store. CUA_ADDED fills in the manifest; after a dry run, only its
 * version. The others change nothing, except that CUA_ADDED_AGAIN restores a driver that was
 * removed. */
enum cua_added { CUA_ADD_FAILED, CUA_ADDED, CUA_ADDED_BEFORE, CUA_ADDED_AGAIN };
enum cua_added cua_add_run(struct cua_add *add, struct cua_store *store,
                           struct cua_manifest *manifest);

#endif
