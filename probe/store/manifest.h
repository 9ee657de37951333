/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.json of a driver in a store (folder.h): where the files came from, and their checksums.
 * It reveals damage, but no manipulation, because whoever can change the files can change the
 * manifest too. */
#ifndef CUA_MANIFEST_H
#define CUA_MANIFEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sha256.h"
#include "base/version.h"
#include "store/member.h"

struct cua_manifest_file {
    char name[CUA_MEMBER_NAME];
    char target[CUA_MEMBER_NAME]; /* for a link: where it leads; else "" */
    char sha256[CUA_SHA256_TEXT];
    uint64_t size;
};

/* Each library, a link to each, and the licence. */
#define CUA_MANIFEST_FILES (2 * CUA_MEMBERS_MOST + 1)

struct cua_manifest {
    char version[CUA_VERSION_TEXT], cuda[12];
    /* "compat" or "driver", as data/packages.tsv has it; "" if the archive's checksum is not listed
     * there. */
    char kind[8];
    char source[2048];             /* the address or path that the driver came from */
    char archive[CUA_SHA256_TEXT]; /* checksum of the archive; "" for a folder */
    char added[24];                /* time, RFC 3339 */
    char licence[128]; /* address of the licence that was shown to the user; "" if none was */
    struct cua_manifest_file file[CUA_MANIFEST_FILES];
    unsigned files;
};

/* Writes the manifest into `dir` as CUA_STORE_MANIFEST, which must not exist yet, and flushes it; 0
 * or -errno. */
int cua_manifest_write(const struct cua_manifest *manifest, int dir);

/* Reads the manifest from the file `name` in `dir`. 0 or -errno; -EINVAL if it is not a
 * manifest. */
int cua_manifest_read(struct cua_manifest *manifest, int dir, const char *name);

/* Describes, in `why` (`size` bytes), the first difference between the files in `dir` and those
 * that the manifest lists. Returns `why`; NULL if there is none. Files that the manifest does not
 * list are a difference, unless their names begin with "." or end in ".json". */
const char *cua_manifest_check(const struct cua_manifest *manifest, int dir, char *why,
                               unsigned size);

#endif
