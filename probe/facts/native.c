/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/native.h"

#include <string.h>

#include "base/text.h"

bool cua_is_native(const struct cua_facts *facts, const struct cua_umd *umd)
{
    if (umd->state != CUA_UMD_USABLE)
        return false;
    switch (facts->kmd.platform) {
    case CUA_PLATFORM_LINUX:
        return !umd->tegra && cua_version_known(&umd->version) &&
               cua_version_compare(&umd->version, &facts->kmd.version) == 0;
    case CUA_PLATFORM_WSL:
        return cua_below(umd->path, "/usr/lib/wsl");
    case CUA_PLATFORM_TEGRA:
        return umd->tegra && !umd->note.present && !(umd->found & CUA_FOUND_COMPAT);
    case CUA_PLATFORM_NONE:
        break;
    }
    return false;
}

bool cua_may_be_native(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return (umd->trusted || umd == facts->loader) && !umd->version_doubtful &&
           cua_is_native(facts, umd);
}

static int rank(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return (umd == facts->loader ? 8 : 0) + (umd->found & CUA_FOUND_COMPAT ? 0 : 4) +
           (umd->found & CUA_FOUND_MOUNT ? 2 : 0) +
           (umd->found & (CUA_FOUND_DEFAULT | CUA_FOUND_CACHE) ? 1 : 0);
}

const struct cua_umd *cua_find_native(const struct cua_facts *facts)
{
    const struct cua_umd *best = NULL;

    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        int order = best ? rank(facts, umd) - rank(facts, best) : 1;
        if (cua_may_be_native(facts, umd) &&
            (order > 0 || (order == 0 && strcmp(umd->path, best->path) < 0)))
            best = umd;
    }
    return best;
}
