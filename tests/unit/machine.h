/* SPDX-License-Identifier: Apache-2.0 */
/* Facts for tests of the rules. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/facts.h"
#include "tables/tables.h"
#include "base/version.h"

#define COUNT(array) (unsigned)(sizeof(array) / sizeof(*(array)))

/* A usable, trusted UMD with its companions, FOLDER/NUMBER/libcuda.so.VERSION. */
static inline struct cua_umd *machine_umd(struct cua_facts *facts, const char *folder,
                                          const char *version, unsigned number)
{
    struct cua_umd *umd = calloc(1, sizeof(*umd));

    umd->key.ino = number;
    if (asprintf(&umd->path, "%s/%u/libcuda.so.%s", folder, number, version) < 0)
        abort();
    umd->real = strdup(umd->path);
    umd->trusted = umd->companions = true;
    umd->loads = CUA_LOADS_YES;
    cua_version_parse(&umd->version, version);
    umd->cuda = cua_data_umd_cuda(NULL, &umd->version);
    HASH_ADD(hh, facts->umds, key, sizeof(umd->key), umd);
    return umd;
}

#endif
