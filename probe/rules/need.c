/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/need.h"

#include <string.h>

#include "base/text.h"

struct cua_need cua_need(const struct cua_facts *facts)
{
    const struct cua_toolkit *toolkit = &facts->toolkit;
    unsigned exact = toolkit->kind == CUA_TOOLKIT_EXACT ? toolkit->cuda : 0;

    if (toolkit->compiler && (!exact || toolkit->compiler < exact))
        exact = toolkit->compiler;
    if (exact)
        return (struct cua_need){exact, true};
    if (toolkit->kind == CUA_TOOLKIT_LEAST)
        return (struct cua_need){toolkit->image / 1000 == toolkit->cuda / 1000 ? toolkit->image : 0,
                                 false};
    return (struct cua_need){toolkit->cuda, false};
}

bool cua_fits_major(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return umd->companions && umd->cuda / 1000 >= cua_need(facts).cuda / 1000;
}

/* Whether the file lies in the compat folder of a toolkit in /usr/local, or in lib or lib.real
 * below it. */
static bool is_where_hooks_look(const struct cua_umd *umd)
{
    static const char *const folders[] = {"/compat/", "/compat/lib/", "/compat/lib.real/"};
    static const char start[] = "/usr/local/cuda";
    bool found = false;

    if (!cua_starts(umd->path, start))
        return false;
    const char *folder = strchr(umd->path + strlen(start), '/'); /* the part after cuda-12.9 */
    for (size_t i = 0; folder && i < sizeof(folders) / sizeof(*folders); i++)
        found |= cua_starts(folder, folders[i]) && !strchr(folder + strlen(folders[i]), '/');
    return found;
}

bool cua_fits_minor(const struct cua_facts *facts, const struct cua_umd *umd)
{
    const struct cua_need need = cua_need(facts);

    return !facts->circumstances.graphics && !facts->decoder && umd->companions &&
           is_where_hooks_look(umd) &&
           (need.exact ? umd->cuda / 10 >= need.cuda / 10 : umd->cuda / 10 == need.cuda / 10);
}

bool cua_is_part_or_sealed(const struct cua_facts *facts)
{
    return facts->circumstances.mig || facts->circumstances.confidential;
}
