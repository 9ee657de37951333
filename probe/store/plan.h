/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be added to a store, and where it comes from. */
#ifndef CUA_PLAN_H
#define CUA_PLAN_H

#include <stdbool.h>

#include "store/folder.h"
#include "store/package.h"

struct cua_add {
    /* The request: */
    const char *what;         /* a CUDA version, a driver version, a file or a folder */
    const char *url, *sha256; /* NULL: as the table says */
    bool trusts;              /* ask NVIDIA's manifest for what the table lacks */
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
    uint64_t size;             /* of the archive, in bytes; 0: not known */
    char sum[CUA_SHA256_TEXT]; /* the sum that the archive must have; "": any, for a file only */
};

/* Fills in the plan; changes nothing, and reads nothing but, if `trusts`, NVIDIA's manifest. False,
 * with the reason in store->why. */
bool cua_add_plan(struct cua_add *add, struct cua_store *store);

#endif
