/* SPDX-License-Identifier: Apache-2.0 */
/* The start-up check. The shim is linked with `-z initfirst`, so this runs before the constructors
 * of all other libraries, even libc's. environ is not set yet, so everything is taken from the
 * constructor's arguments. (Before glibc 2.34 a program may have a libpthread that is linked with
 * `-z initfirst` as well. There ld.so prefers libpthread, so other constructors may run before
 * this.) If the program was linked with libcuda, a libcuda is mapped by now. If it is the wrong
 * one, the shim executes the program again with the right one preloaded. */
#include "ask.h"
#include "begin.h"
#include "exec.h"
#include "objects.h"
#include "process.h"
#include "state.h"

static void check_linked(const struct cua_process *process, const char *libcuda)
{
    struct cua_question question = {.ask = CUA_ASK_LINKED, .name = libcuda, .env = process->env};
    struct cua_answer answer;
    const char *why = NULL;

    cua_ask(&question, &answer);
    if (answer.action != CUA_EXEC)
        return;
    if (cua_process_was_executed(process))
        why = "a second start did not change that";
    if (!why)
        why = cua_exec_again(process, answer.row->path);
    question = (struct cua_question){
        .ask = CUA_ASK_UNDONE, .name = answer.row->path, .why = why, .env = process->env};
    cua_ask(&question, &answer);
}

/* Logs that cuarbiter is active, because in a process without CUDA no other log line would show
 * that. */
static void say_active(char *const *env)
{
    struct cua_question question = {.ask = CUA_ASK_ACTIVE, .name = "", .env = env};
    struct cua_answer answer;

    cua_ask(&question, &answer);
}

__attribute__((constructor)) static void cua_start(int argc, char **argv, char **env)
{
    /* The auxiliary vector leads to ld.so's list of objects. It follows `env` only if `env` follows
     * argv, as the kernel placed it. That is not so on musl, where constructors get no arguments,
     * nor if the program has replaced its environment before it loads the shim by dlopen. */
    const uintptr_t behind = (uintptr_t)argv + ((uintptr_t)argc + 1) * sizeof(*argv);
    const struct link_map *first = cua_objects_begin((uintptr_t)env == behind ? env : NULL);
    bool called = CUA_GET(phase) != CUA_UNSTARTED; /* something called dlopen before this check */
    struct cua_process process;
    struct cua_survey survey;

    /* In three cases cua_begin_late decides whether the shim acts:
     * - `env` is NULL, so the settings must come from libc's environment.
     * - The shim must not act. cua_begin_late only records that.
     * - The shim was loaded by dlopen, so `env` may no longer be what the kernel placed. */
    if (!env || !cua_take_survey(first, &survey) || survey.opened) {
        cua_begin_late();
        return;
    }
    cua_process_read(&process, argc, argv, env);
    if (process.secure) {
        CUA_SET(phase, CUA_ASLEEP);
        return;
    }
    CUA_SET(vector, process.auxv);
    bool again = cua_process_second_run(&process);
    CUA_SET(settled, survey.libcuda != NULL);
    CUA_SET(sysroot, process.sysroot);
    CUA_SET(off, process.off);
    if (process.library_path)
        cua_remember_library_path(process.library_path);
    CUA_SET(phase, CUA_AWAKE);
    if (survey.libcuda && !again && !called && cua_is_needed("libcuda.so") && cua_present())
        check_linked(&process, survey.libcuda);
    if (process.debug && cua_present())
        say_active(process.env);
}
