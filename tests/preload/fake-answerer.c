/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An answerer that answers by a table and notes down what it was asked. Both come from the
 * environment in the question.
 *
 * CUA_FAKE_TABLE: rules `ASK NAME ACTION PATH`, separated by semicolons; ASK is named, brought,
 * linked, NAME a glob, ACTION leave, rename, first or exec with an exclamation mark behind
 * it if the answer is to be kept, a question mark if the file is another one by then. What no rule
 * matches is left. A rule `companion NAME rename PATH` is a row of every answer that leaves
 * nothing. CUA_FAKE_LOG: a file that gets a line for each question: ASK FLAGS NAME. What is no
 * question is a line for standard error.
 *
 * CUA_FAKE_FAULT: instead of an answer, the fault of this name: see `faults`; or, before it
 * answers, "slow" takes 700 ms, "asleep PATH" opens that file. CUA_FAKE_STATUS: a file that gets
 * what the kernel says of the answerer: its ids and capabilities.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cuarbiter/frame.h"

#ifndef FAKE_FRAME
#define FAKE_FRAME CUA_FRAME
#endif

static char question[4 << 20];
static size_t size;

/* The text of the first record of this kind that begins so; what follows that. NULL. */
static const char *find(char kind, const char *start)
{
    size_t length = strlen(start);

    for (const char *at = question; at < question + size; at += strlen(at) + 1)
        if (*at == kind && strncmp(at + 1, start, length) == 0)
            return at + 1 + length;
    return NULL;
}

static void say(char kind, const char *text)
{
    if (dprintf(CUA_FD_ANSWER, "%c%s%c", kind, text, 0) < 0)
        exit(3);
}

static void note(const char *what, const char *name)
{
    const char *file = find(CUA_SAYS_ENV, "CUA_FAKE_LOG=");
    const char *flags = find(CUA_SAYS_FLAGS, "");
    FILE *log = file && strcmp(what, "undone") ? fopen(file, "ae") : NULL;

    if (!log)
        return;
    fprintf(log, "%s %s %s\n", what, flags ? flags : "?", name);
    fclose(log);
}

static void row(const char *name, const char *action, const char *path)
{
    const char letter[] = {action[0], 0};
    char file[64];
    struct stat st = {0};

    say(CUA_ANSWERS_ROW, name);
    if (*path) {
        stat(path, &st);
        st.st_ino += action[strlen(action) - 1] == '?';
        snprintf(file, sizeof(file), "%lx:%lx", (unsigned long)st.st_dev, (unsigned long)st.st_ino);
        say(CUA_ANSWERS_ACTION, letter);
        say(CUA_ANSWERS_PATH, path);
        say(CUA_ANSWERS_FILE, file);
    }
    if (action[strlen(action) - 1] == '!')
        say(CUA_ANSWERS_KEEP, "");
}

/* /proc/self/status. */
static void show_status(const char *to)
{
    char text[4096];
    FILE *from = fopen("/proc/self/status", "re"), *file = from ? fopen(to, "we") : NULL;

    while (file && fgets(text, sizeof(text), from))
        fputs(text, file);
    if (file)
        fclose(file);
    if (from)
        fclose(from);
}

/* Rows of companions come after the first one. */
static bool left;    /* the name that was asked is */
static bool endless; /* the answer has no end */

static bool apply(const char *rule, const char *what, const char *asked)
{
    char ask[16], name[256], action[16], path[4096] = "";

    if (sscanf(rule, " %15s %255s %15s %4095[^;]", ask, name, action, path) < 3 ||
        strcmp(ask, what) != 0 || (asked && fnmatch(name, asked, 0) != 0))
        return false;
    row(asked ? asked : name, action, path);
    left |= !strncmp(action, "leave", 5);
    return true;
}

static const char *word_of(const char *ask)
{
    switch (ask ? *ask : 0) {
    case CUA_ASK_NAMED:
        return "named";
    case CUA_ASK_BROUGHT:
        return "brought";
    case CUA_ASK_LINKED:
        return "linked";
    case CUA_ASK_ACTIVE:
        return "active";
    case CUA_ASK_UNDONE:
        return "undone";
    default:
        return "?";
    }
}

static void answer(const char *what, const char *name)
{
    const char *table = find(CUA_SAYS_ENV, "CUA_FAKE_TABLE="), *rule, *kept;
    char line[8192];
    bool found = false;

    say(CUA_ANSWERS_FRAME, FAKE_FRAME);
    for (rule = table; rule && !found; rule = strchr(rule, ';') ? strchr(rule, ';') + 1 : NULL)
        found = apply(rule, what, name);
    if (!found)
        row(name, "leave", "");
    left |= !found;
    for (rule = left ? NULL : table; rule; rule = strchr(rule, ';') ? strchr(rule, ';') + 1 : NULL)
        apply(rule, "companion", NULL);
    if (strcmp(what, "undone") == 0) {
        const char *why = find(CUA_SAYS_WHY, "");
        snprintf(line, sizeof(line), "cuarbiter: no-second-exec: %s: %s\n", name, why ? why : "");
        say(CUA_ANSWERS_LINE, line);
    }
    kept = find(CUA_SAYS_KEPT, "questions ");
    char text[32];
    snprintf(text, sizeof(text), "questions %d", kept ? atoi(kept) + 1 : 1);
    say(CUA_ANSWERS_KEPT, text);
    if (!endless)
        say(CUA_ANSWERS_END, "");
}

/* True if there is nothing more to say. */
static bool fault(const char *name)
{
    static const char *const faults[] = {"silent", "cut",     "status", "signal",  "waits",
                                         "long",   "endless", "spins",  "lingers", "slow",
                                         "late",   "leaves",  "killed", "none"};
    static const struct timespec while_slow = {0, 700000000}, while_late = {0, 300000000};
    size_t i = 0;

    if (name && !strncmp(name, "asleep ", 7)) {
        close(open(name + 7, O_RDONLY | O_CLOEXEC));
        return false;
    }

    while (name && i < sizeof(faults) / sizeof(*faults) && strcmp(name, faults[i]) != 0)
        i++;
    switch (name ? i : 13) {
    case 0: /* no byte */
        return true;
    case 1: /* all but the end */
        endless = true;
        answer("named", "x");
        return true;
    case 2: /* a whole answer, and a bad status */
        answer("named", "x");
        exit(1);
    case 3:
        raise(SIGSEGV);
        return true;
    case 4: /* for ever, without using the processor */
        for (;;)
            pause();
    case 5: /* longer than an answer may be */
        for (i = 0; i < CUA_ANSWER_MOST / 8; i++)
            say(CUA_ANSWERS_LINE, "12345678");
        say(CUA_ANSWERS_END, "");
        return true;
    case 6: /* without an end */
        for (;;)
            say(CUA_ANSWERS_LINE, "12345678");
    case 7: /* for ever, at work */
        for (;;)
            ;
    case 8: /* a whole answer, and no end */
        answer("named", "x");
        for (;;)
            pause();
    case 9:
        nanosleep(&while_slow, NULL);
        return false;
    case 10:
        nanosleep(&while_late, NULL);
        return false;
    case 11: /* none, and a child that ends with it, as a trial is */
        if (fork() == 0)
            prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    case 12: /* as by the kernel, which needs memory */
        raise(SIGKILL);
        return true;
    default:
        return false;
    }
}

int main(void)
{
    const char *ask, *name;
    ssize_t n;

    while ((n = read(CUA_FD_QUESTION, question + size, sizeof(question) - 1 - size)) > 0)
        size += (size_t)n;
    ask = word_of(find(CUA_SAYS_ASK, ""));
    name = find(CUA_SAYS_NAME, "");
    if (!name)
        return 2;
    note(ask, name);
    if (find(CUA_SAYS_ENV, "CUA_FAKE_STATUS="))
        show_status(find(CUA_SAYS_ENV, "CUA_FAKE_STATUS="));
    if (!fault(find(CUA_SAYS_ENV, "CUA_FAKE_FAULT=")))
        answer(ask, name);
    return 0;
}
