/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over the loaded objects at start-up. */
#include "cuarbiter/names.h"

#include "objects.h"
#include "state.h"
#include "survey.h"
#include "text.h"

/* Preloaded by its file name, libc is called libc-2.31.so, for instance. */
static bool is_libc(const struct link_map *map, const char *file)
{
    return cua_same(file, "libc.so.6") ||
           (cua_starts(file, "libc-") && cua_object_called(map, "libc.so.6"));
}

static void note(struct cua_survey *survey, const struct link_map *map, bool *before, bool *behind)
{
    const char *file;

    if (cua_object_is_self(map)) {
        survey->self = map;
        return;
    }
    file = cua_file(map->l_name);
    if (!cua_starts(file, "libc"))
        return;
    if (!survey->libc && is_libc(map, file)) {
        survey->libc = map;
        survey->opened = !survey->self;
    } else if (!survey->libcuda && cua_starts(file, "libcuda.so")) {
        survey->libcuda = map->l_name;
    } else if (cua_same(file, CUA_FILE_SHIM)) {
        *(survey->self && !survey->libc ? behind : before) = true;
    }
}

bool cua_survey(struct cua_survey *survey)
{
    const struct link_map *first = cua_objects(), *map;
    bool before = false, behind = false;

    *survey = (struct cua_survey){0};
    for (map = first; map; map = map->l_next)
        note(survey, map, &before, &behind);
    CUA_SET(libc, survey->libc);
    if (!first || !survey->self || !survey->libc)
        return false;
    CUA_SET(self, survey->self->l_name);
    /* In the base namespace the first object is the program, which has no name. Of several shims
     * one acts: of those that came with the program the last, since its start-up check runs first;
     * one that was opened later never beside another. MemorySanitizer's run time ends a program for
     * what libc is passed by code that it has not built, such as the engine. */
    return !*first->l_name && !behind && !(survey->opened && before) &&
           !cua_object_symbol(first, "__msan_init");
}

/* Whose need it is does not matter: a preload's brings the same file into the process. */
bool cua_survey_needs_libcuda(void)
{
    const struct link_map *map;
    const ElfW(Dyn) * entry;
    const char *strings;

    for (map = cua_objects(); map; map = map->l_next) {
        strings = cua_object_table(map, DT_STRTAB);
        entry = map->l_ld;
        for (; strings && (entry = cua_dynamic_find(entry, DT_NEEDED)); entry++)
            if (cua_starts(cua_file(strings + entry->d_un.d_val), "libcuda.so"))
                return true;
    }
    return false;
}
