/* SPDX-License-Identifier: Apache-2.0 */
/* The answerer: reads one question from the shim (the preloaded library, in the program that asks),
 * writes one answer to it, and exits. It gathers the facts about that program, and about this
 * machine as far as that program's rights allow. The answer also contains texts for the program's
 * next answerer: the shim keeps them and sends them with the next question. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuarbiter/ident.h"
#include "cuarbiter/names.h"
#include "answer/asked.h"
#include "answer/replies.h"
#include "answer/table.h"
#include "base/text.h"
#include "decide/decision.h"
#include "loader/ldso_args.h"
#include "machine/asker.h"
#include "machine/log.h"
#include "machine/site.h"
#include "trial/trial.h"

CUA_IDENT("answerer");

/* Limit for a question, in bytes. A question is shorter even if it lists a thousand mapped objects
 * with long search paths, and lists them twice (CUA_SAYS_AGAIN). */
#define MOST_BYTES (32u << 20)

/* The kinds of texts that the shim keeps between answers. The first letter of a text is its
 * kind. */
enum kept {
    /* Only the letter, without a text. It makes later answerers take the CUARBITER_* variables from
     * the texts of the kind KEPT_SETTING, not from the program's environment. */
    KEPT_SETTINGS = 's',
    KEPT_SETTING = 'e', /* one CUARBITER_* variable, NAME=VALUE */
    KEPT_DECISION = 'd',
    KEPT_WARNING = 'w',
    KEPT_WAITED = 't', /* how long answerers have waited for trials (trial/trial.h), in ms */
};

static int read_question(struct cua_asked *asked)
{
    size_t used = 0, room = 64 << 10;
    char *bytes = malloc(room), *more;
    ssize_t n = 1;

    while (bytes && n) {
        if (used == room) {
            room *= 2;
            more = room > MOST_BYTES ? NULL : realloc(bytes, room);
            if (!more)
                free(bytes);
            bytes = more;
            continue;
        }
        n = read(CUA_FD_QUESTION, bytes + used, room - used);
        if (n < 0 && errno != EINTR) {
            free(bytes);
            return -errno;
        }
        used += n > 0 ? (size_t)n : 0;
    }
    return bytes ? cua_asked_read(asked, bytes, used) : -ENOMEM;
}

/* Replaces the CUARBITER_* variables in `env` by those of the program's first question, which the
 * shim has kept. These settings stay in force even if the program changes its environment later.
 * Changes nothing if the shim has kept none: this is the first question, or they did not fit into
 * the answer. */
static void freeze_settings(struct cua_asked *asked)
{
    bool frozen = false;
    size_t n = 0, most = 1;
    char **env;

    for (char **kept = asked->kept; *kept; kept++, most++)
        frozen |= **kept == KEPT_SETTINGS;
    for (char **entry = asked->env; *entry; entry++)
        most++;
    env = frozen ? calloc(most, sizeof(*env)) : NULL;
    if (!env)
        return;
    for (char **entry = asked->env; *entry; entry++)
        if (!cua_starts(*entry, CUA_ENV_PREFIX))
            env[n++] = *entry;
    for (char **kept = asked->kept; *kept; kept++)
        if (**kept == KEPT_SETTING)
            env[n++] = *kept + 1;
    free(asked->env);
    asked->env = env;
}

/* Adds the CUARBITER_* variables to the answer, for the shim to keep: all of them, or none if they
 * do not fit. Called after the rows for libraries are added, so that these have room however long
 * the variables are. */
static void keep_settings(const struct cua_asked *asked)
{
    size_t begin = cua_table_begin();

    cua_table_kept(KEPT_SETTINGS, "");
    for (char **entry = asked->env; *entry; entry++)
        if (cua_starts(*entry, CUA_ENV_PREFIX))
            cua_table_kept(KEPT_SETTING, *entry);
    cua_table_end(begin);
}

static void recall(const struct cua_asked *asked)
{
    for (char **kept = asked->kept; *kept; kept++) {
        const char *text = *kept + (**kept != 0);
        if (**kept == KEPT_DECISION)
            cua_decision_recall(text);
        else if (**kept == KEPT_WARNING)
            cua_log_recall((unsigned)strtoul(text, NULL, 16));
        else if (**kept == KEPT_WAITED)
            cua_trial_recall(strtoll(text, NULL, 16));
    }
}

static void keep_decision(void *data, const char *text)
{
    (void)data;
    cua_table_kept(KEPT_DECISION, text);
}

static void keep_rest(void)
{
    size_t at = 0;
    unsigned warning;
    char text[32];

    cua_decisions_each(keep_decision, NULL);
    while ((warning = cua_log_given(&at))) {
        snprintf(text, sizeof(text), "%x", warning);
        cua_table_kept(KEPT_WARNING, text);
    }
    if (cua_trial_waited()) {
        snprintf(text, sizeof(text), "%llx", (unsigned long long)cua_trial_waited());
        cua_table_kept(KEPT_WAITED, text);
    }
}

static void set_asker(const struct cua_asked *asked)
{
    cua_asker = (struct cua_asker){
        .pid = asked->pid,
        .exe = asked->exe,
        .started = asked->started,
        .glibc = asked->glibc,
        .home = asked->home,
        .words = asked->words,
        .words_size = asked->words_size,
        .line = asked->has_stderr ? cua_table_line : NULL,
        .trial = cua_table_trial,
    };
    cua_mapped_say(asked->object, asked->objects);
}

static void log_undone(const struct cua_asked *asked)
{
    cua_log(CUA_LOG_WARN, "no-second-exec",
            "the program is linked with libcuda, and keeps the one that it has instead of getting "
            "%s: %s",
            asked->name, asked->why ? asked->why : "");
}

static void reply(struct cua_work *work)
{
    switch (work->asked->ask) {
    case CUA_ASK_NAMED:
        cua_reply_named(work);
        break;
    case CUA_ASK_BROUGHT:
        cua_reply_brought(work);
        break;
    case CUA_ASK_LINKED:
        cua_reply_linked(work);
        break;
    case CUA_ASK_ACTIVE:
        cua_log(CUA_LOG_DEBUG, "active", "cuarbiter %s is active in this process (%s)", CUA_VERSION,
                work->asked->exe);
        break;
    case CUA_ASK_UNDONE:
        log_undone(work->asked);
        break;
    }
}

int main(void)
{
    static struct cua_work work = {.answer = {.action = CUA_LEAVE}, .opened = -1};
    static struct cua_asked asked;
    const char *list;

    if (read_question(&asked) != 0)
        return 2;
    set_asker(&asked);
    freeze_settings(&asked);
    recall(&asked);
    list = cua_ldso_args_own() ? cua_ldso_args_own() : asked.library_path;
    work.asked = &asked;
    /* A trial (cuInit in a child process) needs the program's whole environment. If the shim has
     * left a part out, `home` stays NULL: without the folder of the command, no trial can run. */
    work.settings = (struct cua_settings){
        .env = asked.env, .library_path = list, .home = asked.env_cut ? NULL : asked.home};
    work.subject = (struct cua_subject){.env = asked.env, .library_path = list};
    work.subject.sysroot = cua_site_sysroot(cua_settings_env(&work.settings, CUA_ENV_SYSROOT));
    work.policy = cua_policy_in_force(&work.settings);
    if (work.policy && work.policy->kind != CUA_POLICY_OFF && !work.policy->disabled)
        reply(&work);
    else if (work.policy && asked.ask == CUA_ASK_UNDONE)
        log_undone(&asked);
    cua_table_row(asked.name, work.answer.action, work.answer.path, NULL, work.answer.keep);
    if (work.policy && work.policy->kind != CUA_POLICY_REPORT)
        cua_reply_companions(&work);
    keep_settings(&asked);
    keep_rest();
    return cua_table_write() != 0;
}
