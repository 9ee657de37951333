/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine that answers by a table and notes down what it was asked.
 *
 * CUA_FAKE_TABLE: rules `ASK NAME ACTION PATH`, separated by semicolons; ASK is named, brought or
 * linked, NAME a glob, ACTION leave, rename, first or exec with an exclamation mark behind it if
 * the answer is final. What no rule matches is left. CUA_FAKE_LOG: a file that gets a line for each
 * question: ASK FLAGS NAME.
 *
 * With FAKE_NEXT it is the engine of an upgrade: it keeps another contract, and the old one too.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuarbiter/contract.h"

#ifndef FAKE_CONTRACT
#define FAKE_CONTRACT CUA_CONTRACT
#endif

#ifdef FAKE_NEXT
CUA_ENGINE_NOTE_SECTION static const struct cua_engine_note note_of_next =
    CUA_ENGINE_NOTE(FAKE_NEXT);
/* Whose layout no shim of today knows. */
__attribute__((visibility("default"))) const uint64_t cua_engine_4[] = {FAKE_NEXT};
#endif
CUA_ENGINE_NOTE_SECTION static const struct cua_engine_note note_of_file =
    CUA_ENGINE_NOTE(FAKE_CONTRACT);

extern char **environ;

static const char *variable(const struct cua_question *question, const char *name)
{
    char *const *entry = question->env ? question->env : environ;
    size_t length = strlen(name);

    for (; entry && *entry; entry++)
        if (!strncmp(*entry, name, length) && (*entry)[length] == '=')
            return *entry + length + 1;
    return NULL;
}

static void note(const struct cua_question *question, const char *what, const char *name)
{
    const char *file = variable(question, "CUA_FAKE_LOG");
    char line[4300];
    int fd, length;

    if (!file)
        return;
    fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    length = snprintf(line, sizeof(line), "%s %x %s\n", what, question->flags, name);
    if (write(fd, line, (size_t)length) != length)
        perror("fake engine");
    close(fd);
}

static bool apply(char *rule, const char *what, const struct cua_question *question,
                  struct cua_answer *answer)
{
    static const char *const actions[] = {"leave", "rename", "first", "exec"};
    char ask[16], name[256], action[16], path[4096] = "";
    size_t length, i;

    if (sscanf(rule, " %15s %255s %15s %4095[^;]", ask, name, action, path) < 3)
        return false;
    if (strcmp(ask, what) || fnmatch(name, question->name, 0))
        return false;
    length = strlen(action);
    if (action[length - 1] == '!') {
        answer->final = 1;
        action[length - 1] = 0;
    }
    for (i = 0; i < sizeof(actions) / sizeof(*actions); i++)
        if (!strcmp(action, actions[i]))
            answer->action = (uint32_t)i;
    /* Belongs to the engine for ever. */
    answer->path = *path ? strdup(path) : NULL;
    return true;
}

static void ask(const struct cua_question *question, struct cua_answer *answer)
{
    static const char *const asks[] = {"?", "named", "brought", "linked"};
    const char *what = asks[question->ask < 4 ? question->ask : 0];
    const char *table = variable(question, "CUA_FAKE_TABLE");
    volatile size_t length = question->library_path ? strlen(question->library_path) : 0;
    int kept = errno;
    char *copy, *rule, *rest;

    (void)length; /* it can be read */
    memset(answer, 0, sizeof(*answer));
    copy = strdup(table ? table : "");
    for (rule = strtok_r(copy, ";", &rest); rule; rule = strtok_r(NULL, ";", &rest))
        if (apply(rule, what, question, answer))
            break;
    note(question, what, question->name ? question->name : "");
    free(copy);
    errno = kept;
}

static void not_executed(const struct cua_question *question, const char *why)
{
    fprintf(stderr, "cuarbiter: no-second-exec: %s: %s\n", question->name, why);
}

__attribute__((visibility("default"))) const struct cua_engine cua_engine = {
    .contract = FAKE_CONTRACT,
    .size = sizeof(struct cua_engine),
    .version = "fake",
    .ask = ask,
    .not_executed = not_executed,
};
