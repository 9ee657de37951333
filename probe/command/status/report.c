/* SPDX-License-Identifier: Apache-2.0 */
#include "command/status/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "machine/log.h"
#include "command/verb.h"
#include "decide/loop.h"
#include "facts/overrides.h"
#include "machine/settings.h"

int cua_report_make(struct cua_report *report, const struct cua_overrides *overrides, int policy)
{
    cua_log_setup(&report->settings);
    cua_policy_read(&report->policy, &report->settings);
    if (policy >= 0) {
        report->policy.kind = (enum cua_policy_kind)policy;
        report->policy.from = "--policy";
        report->policy.disabled = false;
    }
    int err = cua_decide(&report->facts, &report->verdict, &report->subject, &report->settings,
                         &report->policy, overrides);
    if (err)
        cua_complain("status", "%s", strerror(-err));
    return err;
}

void cua_report_free(struct cua_report *report)
{
    cua_verdict_free(&report->verdict);
    cua_facts_free(&report->facts);
    if (report->looked)
        cua_running_free(&report->process);
}

int cua_report_exit(const struct cua_report *report)
{
    const struct cua_verdict *verdict = &report->verdict;

    if (verdict->reason == CUA_REASON_NO_DRIVER)
        return CUA_EXIT_NO_DRIVER;
    if (verdict->works == CUA_WORKS_YES)
        return CUA_EXIT_WORKS;
    return verdict->works == CUA_WORKS_NO ? CUA_EXIT_NONE : CUA_EXIT_UNKNOWN;
}

const char *cua_word_kind(enum cua_kind kind)
{
    static const char *const words[] = {"none", "native", "compat", "other"};

    return words[kind];
}

const char *cua_word_works(enum cua_works works)
{
    static const char *const words[] = {"unknown", "yes", "no"};

    return words[works];
}

const char *cua_word_platform(enum cua_platform platform)
{
    static const char *const words[] = {"none", "linux", "wsl", "tegra"};

    return words[platform];
}

const char *cua_word_state(enum cua_umd_state state)
{
    static const char *const words[] = {"usable",     "stub",       "damaged",
                                        "wrong-arch", "unreadable", "foreign"};

    return words[state];
}

const char *cua_report_through(const struct cua_report *report, unsigned number)
{
    const char *through[3] = {NULL};
    unsigned count = 0;

    if (report->looked && cua_running_preloads(&report->process))
        through[count++] = "LD_PRELOAD";
    if (report->process.preload_file[0])
        through[count++] = "/etc/ld.so.preload";
    return number < count ? through[number] : NULL;
}

const struct cua_mapped *cua_report_shim(const struct cua_report *report, char *version,
                                         size_t size)
{
    const struct cua_mapped *shim =
        report->looked ? cua_running_find(&report->process, CUA_MAPPED_SHIM) : NULL;

    version[0] = '\0';
    if (shim && !shim->gone)
        cua_ident_read(&report->process.place, shim->path, version, size);
    return shim;
}

void cua_report_shim_trouble(const struct cua_report *report, char *trouble, size_t size)
{
    char version[64], other[64], engine[PATH_MAX];
    const struct cua_mapped *shim = cua_report_shim(report, version, sizeof(version));
    const char *slash = shim ? strrchr(shim->path, '/') : NULL;

    trouble[0] = '\0';
    if (!slash || shim->gone ||
        snprintf(engine, sizeof(engine), "%.*s/" CUA_FILE_ENGINE, (int)(slash - shim->path),
                 shim->path) >= (int)sizeof(engine))
        return;
    int fd = cua_subject_open(&report->process.place, engine);
    if (fd >= 0)
        close(fd);
    cua_ident_read(&report->process.place, engine, other, sizeof(other));
    if (fd < 0)
        snprintf(trouble, size, "It does nothing: %s: %s", engine, strerror(-fd));
    else if (!other[0])
        snprintf(trouble, size, "It does nothing: %s is no engine", engine);
    else if (version[0] && strcmp(version, other) != 0)
        snprintf(trouble, size, "%s is %s: take all three files from one build", engine, other);
}
