/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct cua_umd *cua_facts_umd(const struct cua_facts *facts, const struct cua_umd_key *key)
{
    struct cua_umd *umd;

    /* Clang's analyzer does not see that all bytes of the copied key are set. */
    HASH_FIND(hh, facts->umds, key, sizeof *key, umd); /* NOLINT(clang-analyzer-core*) */
    return umd;
}

const char *cua_umd_folder(const struct cua_umd *umd, char *buf)
{
    const char *slash = umd->real ? strrchr(umd->real, '/') : NULL;

    if (!slash)
        buf[0] = 0;
    else if (slash == umd->real)
        cua_copy(buf, PATH_MAX, "/");
    else
        cua_copy_n(buf, PATH_MAX, umd->real, (size_t)(slash - umd->real));
    return buf;
}

void cua_facts_free(struct cua_facts *facts)
{
    struct cua_umd *umd, *next;

    HASH_ITER(hh, facts->umds, umd, next)
    {
        HASH_DEL(facts->umds, umd); /* NOLINT(clang-analyzer-unix.Malloc): uthash's own memory */
        free(umd->path);
        free(umd->real);
        free(umd->distrust);
        free(umd->runs);
        free(umd);
    }
    free(facts->gpus);
    memset(facts, 0, sizeof *facts);
}
