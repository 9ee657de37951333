/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be added to a store of drivers (folder.h), and where it comes from. */
#ifndef CUA_PLAN_H
#define CUA_PLAN_H

#include <stdbool.h>

#include "store/folder.h"
#include "store/package.h"

struct cua_add {
    /* The request: */
    const char *what;         /* a CUDA version, a driver version, a file or a folder */
    const char *url, *sha256; /* --url and --sha256; NULL: not given */
    bool trusts; /* read NVIDIA's manifest (redistrib.h) if data/packages.tsv lacks the driver */
    const char *mirror; /* base address of NVIDIA's archives; NULL or "": CUA_PACKAGE_BASE */
    bool bar;           /* show curl's progress bar */
    /* Called if `package` is NULL, when the driver is unpacked but not yet in the store. `version`:
     * the driver's. `cuda`: the CUDA in its libcuda's ELF note; 0: not known. To refuse the driver,
     * `accept` returns false, with the reason in store->why. NULL: every driver is added. */
    bool (*accept)(void *data, struct cua_store *store, const struct cua_version *version,
                   unsigned cuda);
    void *data;
    /* `what` is a file that cua_export wrote. Its content must agree with the manifest in it. */
    bool imports;
    bool dry; /* end after calling `accept`, without adding anything */
    /* The plan: */
    enum { CUA_ADD_FETCH, CUA_ADD_FILE, CUA_ADD_FOLDER } kind;
    /* The archive of data/packages.tsv to fetch; NULL: the table lists none, or `what` is a file or
     * a folder. */
    const struct cua_package *package;
    struct cua_version version; /* the driver's; may be unknown until it is unpacked */
    char address[2048];
    uint64_t size;             /* size of the archive in bytes; 0: not known */
    char sum[CUA_SHA256_TEXT]; /* checksum that the archive must have; "": any (local files only) */
};

/* Fills in the plan from the request. Downloads nothing, except NVIDIA's manifest if `trusts`, and
 * does not change the store. False, with the reason in store->why. */
bool cua_add_plan(struct cua_add *add, struct cua_store *store);

#endif
