/* SPDX-License-Identifier: Apache-2.0 */
#include "begin.h"

#include "cuarbiter/names.h"

#include "objects.h"
#include "text.h"

/* Whether this object is libc. Its file name is libc.so.6 as a rule. If libc was preloaded by
 * another name, such as libc-2.31.so, its SONAME is libc.so.6. */
static bool is_libc(const struct link_map *map, const char *file)
{
    return cua_same(file, "libc.so.6") ||
           (cua_starts(file, "libc-") && cua_object_called(map, "libc.so.6"));
}

static void note(struct cua_survey *survey, const struct link_map *map)
{
    const char *file;

    if (cua_object_is_self(map)) {
        survey->self = map;
        return;
    }
    file = cua_file(map->l_name);
    if (file[0] != 'l' || file[1] != 'i' || file[2] != 'b' || file[3] != 'c')
        return;
    if (!survey->libc && is_libc(map, file)) {
        survey->libc = map;
        survey->opened = !survey->self;
    } else if (!survey->libcuda && cua_starts(file, "libcuda.so")) {
        survey->libcuda = map->l_name;
    } else if (cua_same(file, CUA_FILE_SHIM)) {
        *(survey->self && !survey->libc ? &survey->behind : &survey->before) = true;
    }
}

bool cua_take_survey(const struct link_map *first, struct cua_survey *survey)
{
    const struct link_map *map;

    *survey = (struct cua_survey){.opened = false};
    for (map = first; map; map = map->l_next) {
        note(survey, map);
        survey->last = map;
    }
    CUA_SET(libc, survey->libc);
    /* If the shim was loaded by dlopen, any object after libc may have been loaded by dlopen, too,
     * and may be unloaded. So only the list up to libc counts as never unloaded. */
    CUA_SET(last, survey->opened ? survey->libc : survey->last);
    if (!first || !survey->self || !survey->libc)
        return false;
    CUA_SET(self, survey->self->l_name);
    if (*survey->self->l_name != '/') /* resolve a relative path before the program calls chdir */
        cua_folder();
    /* The shim acts only in the base namespace, whose first object is the program, with an empty
     * name. Of several shims that were loaded at program start only the last one acts, since its
     * start-up check runs first. A shim that was loaded by dlopen does not act if there is another
     * one. */
    return !*first->l_name && !survey->behind && !(survey->opened && survey->before);
}

/* Whether libc has set environ; true also if the variable is not found. The program may have its
 * own copy of the variable (by a copy relocation), and libc then sets that copy. So the variable is
 * looked up by name. */
static bool is_libc_started(void)
{
    char ***environment = cua_first_symbol("__environ");

    return !environment || *environment;
}

/* An IFUNC resolver, for example, may call dlopen before the start-up check (start.c), when libc is
 * not set up yet. Then this decides nothing, and leaves it to that check or to the next dlopen.
 * Takes getenv from libc itself, because some programs define their own. */
void cua_begin_late(void)
{
    struct cua_survey survey;
    char *(*environment)(const char *) = NULL;
    unsigned long (*auxiliary)(unsigned long) = NULL;
    bool acts = cua_take_survey(cua_objects(), &survey);
    const char *value;

    if (acts && !survey.opened && !is_libc_started())
        return;
    if (acts) {
        environment = (char *(*)(const char *))cua_object_symbol(survey.libc, "getenv");
        auxiliary = (unsigned long (*)(unsigned long))cua_object_symbol(survey.libc, "getauxval");
    }
    if (!environment || !auxiliary || auxiliary(AT_SECURE)) {
        CUA_SET(phase, CUA_ASLEEP);
        return;
    }
    value = environment(CUA_ENV_SYSROOT);
    CUA_SET(sysroot, value && *value);
    value = environment(CUA_ENV_POLICY);
    CUA_SET(off, value && cua_same(value, "off"));
    value = environment("LD_LIBRARY_PATH");
    if (value)
        cua_remember_library_path(value);
    CUA_SET(settled, survey.libcuda && !survey.opened);
    CUA_SET(given, survey.libcuda != NULL);
    CUA_SET(phase, CUA_AWAKE);
}
