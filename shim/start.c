/* SPDX-License-Identifier: Apache-2.0 */
/* The start-up check. Linked with `-z initfirst`, it runs before the constructors of all other
 * libraries, libc's too: environ is not set up, so everything comes from the arguments. A program
 * that was linked with the wrong libcuda has it mapped by now, and is executed again. */
#include "cuarbiter/names.h"

#include "company.h"
#include "engine.h"
#include "exec.h"
#include "objects.h"
#include "process.h"
#include "state.h"
#include "text.h"

struct survey {
    const struct link_map *self, *libc;
    bool opened;         /* the shim came by dlopen: libc comes before it */
    bool before, behind; /* another shim, before this one or behind it */
    const char *libcuda; /* l_name of the first one mapped; NULL */
};

/* Preloaded by its file name, libc is called libc-2.31.so, for instance. */
static bool is_libc(const struct link_map *map, const char *file)
{
    return cua_same(file, "libc.so.6") ||
           (cua_starts(file, "libc-") && cua_object_called(map, "libc.so.6"));
}

static void note(struct survey *survey, const struct link_map *map)
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

/* One pass over the list, which also sets what state.h keeps of it. False where the shim must not
 * act: on musl, in a namespace other than the base, and beside another shim that acts. */
static bool take_survey(const struct link_map *first, struct survey *survey)
{
    const struct link_map *map;

    *survey = (struct survey){0};
    for (map = first; map; map = map->l_next)
        note(survey, map);
    CUA_SET(libc, survey->libc);
    if (!first || !survey->self || !survey->libc)
        return false;
    CUA_SET(self, survey->self->l_name);
    /* In the base namespace the first object is the program, which has no name. Of several shims
     * one acts: of those that came with the program the last, since its start-up check runs first;
     * one that was opened later never beside another. */
    return !*first->l_name && !survey->behind && !(survey->opened && survey->before);
}

/* By the program's copy, if it has one. */
static bool is_libc_started(void)
{
    char ***environment = cua_first_symbol("__environ");

    return !environment || *environment;
}

/* libc's own getenv is called, because some programs bring another one. A shim that came with the
 * program has its start-up check yet to come, or never, if an IFUNC's resolver opened something. */
void cua_begin_late(void)
{
    struct survey survey;
    char *(*environment)(const char *) = NULL;
    unsigned long (*auxiliary)(unsigned long) = NULL;
    bool acts = take_survey(cua_objects(), &survey);
    const char *value;

    if (acts && !survey.opened && (!is_libc_started() || cua_company(false) != CUA_ALONE)) {
        CUA_SET(phase, CUA_WAITING);
        return;
    }
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
    CUA_SET(phase, CUA_AWAKE);
}

/* If a library is opened before libc has been set up, ld.so runs libc's constructors with the
 * arguments and the environment that libc has by then: none, and the program would see none. So the
 * constructors are run here first, with the right ones; ld.so runs them again later. Before
 * glibc 2.34 libdl keeps the arguments too. */
static void start_libc(const struct cua_process *started)
{
    const struct link_map *map;

    for (map = is_libc_started() ? NULL : cua_objects(); map; map = map->l_next)
        if (map == CUA_GET(libc) || cua_object_called(map, "libdl.so.2"))
            cua_object_construct(map, started->argc, started->argv, started->env);
}

/* What the check needs when it runs, which may be after foreign code. */
static struct cua_process process;
static struct {
    const char *libcuda; /* mapped with the program; NULL: there is nothing to check */
    const char *why;     /* the program cannot be executed again */
    struct cua_exec exec;
} linked;

static void check_linked(char *const *env)
{
    struct cua_answer answer;

    cua_ask(CUA_ASK_LINKED, linked.libcuda, 0, NULL, env, &answer);
    if (answer.action == CUA_EXEC) {
        if (!linked.why && cua_process_was_executed(&process))
            linked.why = "it was, and did not get it";
        if (!linked.why)
            linked.why = cua_exec_again(&linked.exec, answer.path);
        cua_log_not_executed(env, answer.path, linked.why);
    }
}

/* Constructors may have chosen the GPUs, for instance. */
static void start_before_main(void)
{
    char ***environment = linked.libcuda ? cua_first_symbol("__environ") : NULL;

    CUA_SET(phase, CUA_AWAKE);
    if (linked.libcuda && cua_present())
        check_linked(environment && *environment ? *environment : process.env);
    cua_exec_drop(&linked.exec);
}

static void start_now(void)
{
    CUA_SET(phase, CUA_AWAKE);
    if (!linked.libcuda || !cua_present())
        return;
    linked.why = cua_exec_prepare(&linked.exec, &process);
    start_libc(&process);
    check_linked(process.env);
    cua_exec_drop(&linked.exec);
}

__attribute__((constructor)) static void cua_start(int argc, char **argv, char **env)
{
    /* musl passes no arguments, and a program may have another environment by now. */
    const uintptr_t behind = (uintptr_t)argv + ((uintptr_t)argc + 1) * sizeof(*argv);
    const struct link_map *first = cua_objects_begin((uintptr_t)env == behind ? env : NULL);
    enum cua_company company;
    struct survey survey;
    bool called = CUA_GET(phase) != CUA_UNSTARTED; /* something was opened before */

    /* Later in a run env need not be the kernel's any more; before libc is set up there is none. */
    if (!env || !take_survey(first, &survey) || survey.opened) {
        cua_begin_late();
        return;
    }
    cua_process_read(&process, argc, argv, env);
    if (process.secure) {
        CUA_SET(phase, CUA_ASLEEP);
        return;
    }
    if (!cua_process_second_run(&process) && !called && survey.libcuda &&
        cua_is_needed("libcuda.so", false))
        linked.libcuda = survey.libcuda;
    cua_objects_watch_forks();
    CUA_SET(settled, survey.libcuda != NULL);
    CUA_SET(sysroot, process.sysroot);
    CUA_SET(off, process.off);
    if (process.library_path)
        cua_remember_library_path(process.library_path);
    if (*survey.self->l_name != '/')
        cua_folder();
    company = cua_company(linked.libcuda);
    if (company == CUA_ALONE) {
        start_now();
    } else if (company == CUA_STRANGER || !cua_before_main(&process, company, start_before_main)) {
        CUA_SET(phase, CUA_ASLEEP);
    } else {
        CUA_SET(phase, CUA_WAITING);
        if (linked.libcuda)
            linked.why = cua_exec_prepare(&linked.exec, &process);
    }
}
