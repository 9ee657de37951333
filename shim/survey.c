/* SPDX-License-Identifier: Apache-2.0 */
#include "cuarbiter/names.h"

#include "objects.h"
#include "state.h"
#include "survey.h"
#include "text.h"

#define OBJECTS_MAX 1024

static bool is_libc(const char *name)
{
    return cua_same(name, "libc.so.6");
}

static void note_libc(struct cua_survey *survey, const struct link_map *map)
{
    if (survey->libc)
        return;
    survey->libc = map;
    survey->opened = !survey->self;
}

static void note(struct cua_survey *survey, const struct link_map *map, bool *before, bool *behind)
{
    const char *file;

    if (cua_object_is_self(map)) {
        survey->self = map;
        return;
    }
    file = cua_file(map->l_name, cua_length(map->l_name));
    if (file[0] != 'l' || file[1] != 'i' || file[2] != 'b' || file[3] != 'c')
        return;
    if (is_libc(file))
        note_libc(survey, map);
    else if (!survey->libcuda && cua_starts(file, "libcuda.so"))
        survey->libcuda = map->l_name;
    else if (cua_same(file, CUA_FILE_SHIM))
        *(survey->self && !survey->libc ? behind : before) = true;
}

/* libc under another name: preloaded as libc-2.31.so, say. */
static void find_by_soname(struct cua_survey *survey, const struct link_map *map)
{
    const char *soname;

    for (survey->self = NULL; map && !survey->libc; map = map->l_next) {
        soname = cua_object_soname(map);
        if (cua_object_is_self(map))
            survey->self = map;
        else if (soname && is_libc(soname))
            note_libc(survey, map);
    }
}

bool cua_survey(struct cua_survey *survey)
{
    const struct link_map *first = cua_objects(), *map;
    bool before = false, behind = false;

    survey->self = survey->libc = NULL;
    survey->libcuda = NULL;
    survey->opened = false;
    for (map = first; map; map = map->l_next) {
        note(survey, map, &before, &behind);
        CUA_SET(last, map);
    }
    if (!survey->libc)
        find_by_soname(survey, first);
    CUA_SET(libc, survey->libc);
    if (!survey->self || !survey->libc)
        return false;
    CUA_SET(self, survey->self->l_name);
    /* In the base namespace the first is the program, which has no name. Of several shims one acts:
     * of those that came with the program the last, whose start-up check is the first to run; of
     * those that were opened none beside another. */
    return !*first->l_name && !behind && !(survey->opened && before);
}

/* ---- what the program needs ------------------------------------------------------------------ */

struct closure {
    const struct link_map *object[OBJECTS_MAX];
    size_t count;
    bool libcuda;
};

static bool add_need(const char *need, void *arg)
{
    const char *file = cua_file(need, cua_length(need));
    struct closure *closure = arg;
    const struct link_map *map;
    size_t i;

    closure->libcuda = cua_starts(file, "libcuda.so");
    for (map = cua_objects(); map && !cua_object_called(map, file);)
        map = map->l_next;
    for (i = 0; i < closure->count && closure->object[i] != map;)
        i++;
    if (map && i == closure->count && i < OBJECTS_MAX)
        closure->object[closure->count++] = map;
    return !closure->libcuda;
}

bool cua_survey_needs_libcuda(void)
{
    struct closure closure;
    size_t i;

    closure.object[0] = cua_objects();
    closure.count = 1;
    closure.libcuda = false;
    for (i = 0; i < closure.count && !closure.libcuda; i++)
        cua_object_needs(closure.object[i], add_need, &closure);
    return closure.libcuda;
}
