/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The start-up check. Linked with `-z initfirst`, it runs before the constructors of all other
 * libraries, libc's too: environ is not set up, so everything comes from the arguments.
 */
#include "boot.h"
#include "engine.h"
#include "objects.h"
#include "state.h"

static char *add(char *to, char *end, const char *text)
{
    while (*text && to < end)
        *to++ = *text++;
    return to;
}

static void say_why(const struct cua_boot *boot, const char *umd, const char *why)
{
    char sentence[512], *end = sentence + sizeof(sentence) - 1, *to = sentence;

    to = add(to, end,
             "the program is linked with another libcuda than the one that works here, and "
             "could not be executed again with ");
    to = add(to, end, umd);
    to = add(to, end, ": ");
    to = add(to, end, why);
    *to = 0;
    cua_warn(boot->env, "no-second-exec", sentence);
}

static void check_linked(struct cua_boot *boot, int argc, const char *libcuda)
{
    struct cua_answer answer;

    CUA_SET(settled, true);
    if (!cua_object_program_needs_libcuda() || !cua_present())
        return;
    cua_object_start_libc(argc, boot->argv, boot->env);
    cua_ask(CUA_ASK_LINKED, libcuda, 0, NULL, boot->env, &answer);
    if (answer.action != CUA_EXEC)
        return;
    say_why(boot, answer.path, cua_exec_again(boot, answer.path));
}

__attribute__((constructor)) static void cua_start(int argc, char **argv, char **env)
{
    struct cua_survey survey;
    struct cua_boot boot;
    bool called = CUA_GET(phase) != CUA_UNSTARTED; /* something was opened before */
    bool second;

    cua_survey_at_start(&survey);
    CUA_SET(self, survey.self);
    if (!survey.libc_before && !survey.libc_behind) {
        /* musl, whose constructors get no arguments. */
        CUA_SET(phase, CUA_ASLEEP);
        return;
    }
    /* Loaded by dlopen, in the middle of a run: env need not be the kernel's any more. */
    if (survey.libc_before)
        return;
    cua_boot_read(&boot, argv, env);
    if (boot.secure) {
        CUA_SET(phase, CUA_ASLEEP);
        return;
    }
    second = cua_second_run(&boot);
    CUA_SET(sysroot, boot.sysroot);
    if (boot.library_path)
        cua_remember_library_path(boot.library_path);
    if (*survey.self != '/')
        cua_home();
    CUA_SET(phase, CUA_AWAKE);
    if (!survey.libcuda)
        return;
    if (second || called)
        CUA_SET(settled, true);
    else
        check_linked(&boot, argc, survey.libcuda);
}
