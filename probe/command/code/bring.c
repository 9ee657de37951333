/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/bring.h"

#include <stdio.h>

#include "rules/fate.h"

#define MAJOR(cuda) ((cuda) / 1000)

/* The latest CUDA version that a file with the result 35 needs; 0: no file has that result. Spare
 * files (cua_code_result.spare) do not count. */
static unsigned needed(const struct cua_code_look *look)
{
    unsigned cuda = 0;

    for (size_t i = 0; i < look->files; i++) {
        const struct cua_code *code = &look->file[i].code;
        if (!code->result->spare && code->result->verdict == CUA_CODE_35 && code->runtime > cuda)
            cuda = code->runtime;
    }
    return cuda;
}

static const struct cua_umd *find_brought(const struct cua_facts *facts, unsigned cuda)
{
    struct cua_fate fate;

    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        if (!cua_is_brought(umd) || MAJOR(umd->cuda) < MAJOR(cuda))
            continue;
        cua_fate(&fate, facts, umd, true);
        if (fate.works == CUA_WORKS_YES)
            return umd;
    }
    return NULL;
}

bool cua_code_bring(const struct cua_code_look *look, struct cua_suit *suit,
                    const struct cua_umd **here)
{
    static struct cua_facts facts;

    *here = NULL;
    if (look->targets != 1 || !look->machine || !needed(look))
        return false;
    facts = look->report.facts;
    facts.toolkit.kind = CUA_TOOLKIT_EXACT;
    facts.toolkit.cuda = needed(look);
    *here = find_brought(&facts, facts.toolkit.cuda);
    cua_suit_of(suit, &facts);
    /* The options that cua_suit_of names are those of `driver add`. */
    if (!cua_version_known(&facts.kmd.version) &&
        (facts.kmd.platform == CUA_PLATFORM_NONE || facts.kmd.platform == CUA_PLATFORM_LINUX))
        snprintf(suit->why, sizeof suit->why,
                 "the kernel driver is not known; pass its version with --kmd");
    return true;
}
