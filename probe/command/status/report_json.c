/* SPDX-License-Identifier: Apache-2.0 */
#include "command/status/report_json.h"

#include <stdio.h>

#include "drivers/identity.h"
#include "command/build_id.h"
#include "command/driver/suit.h"
#include "cli/jsonout.h"
#include "command/status/report.h"
#include "machine/site.h"
#include "base/policy.h"
#include "base/reasons.h"
#include "base/version.h"
#include "command/process.h"
#include "command/status/running.h"
#include "elf/compat_note.h"
#include "command/fact_words.h"
#include "rules/rules.h"
#include "tables/tables.h"

static void dotted(const char *key, unsigned number)
{
    cua_jsonout_text(key, cua_dotted(number));
}

static void chosen(const struct cua_verdict *verdict)
{
    if (!verdict->chosen) {
        cua_jsonout_null("chosen");
        return;
    }
    cua_jsonout_texts("chosen", "path", verdict->chosen->path, "version",
                      verdict->chosen->version.text, "kind", cua_word_kind(verdict->kind), NULL);
}

/* Writes which libcuda ld.so would take because of NVIDIA's hook (nvidia_hook.h), and which one
 * cuarbiter would then choose. */
static void hooked(const struct cua_report *report)
{
    const int code = cua_report_hooked(report);
    const struct cua_umd *to = report->hook_verdict.chosen;

    if (!report->hook.file) {
        cua_jsonout_null("nvidia_hook");
        return;
    }
    cua_jsonout_open("nvidia_hook", '{');
    cua_jsonout_string("path", report->hook.file->path);
    cua_jsonout_text("version", report->hook.file->version.text);
    if (code >= 0)
        cua_jsonout_number("code", code);
    else
        cua_jsonout_null("code");
    cua_jsonout_string("since", cua_nvidia_hook_since(&report->hook));
    cua_jsonout_text("chosen", to ? to->path : "");
    cua_jsonout_string("works", cua_word_works(report->hook_verdict.works));
    cua_jsonout_close('}');
}

static void without(const struct cua_facts *facts)
{
    int code;

    if (!facts->loader) {
        cua_jsonout_null("without");
        return;
    }
    code = cua_judge_code(facts, facts->loader);
    cua_jsonout_open("without", '{');
    cua_jsonout_string("path", facts->loader->path);
    cua_jsonout_text("version", facts->loader->version.text);
    if (code >= 0)
        cua_jsonout_number("code", code);
    else
        cua_jsonout_null("code");
    cua_jsonout_close('}');
}

static void kmd(const struct cua_kmd *kmd)
{
    cua_jsonout_open("kmd", '{');
    cua_jsonout_string("platform", cua_word_platform(kmd->platform));
    cua_jsonout_text("version", kmd->version.text);
    if (kmd->platform == CUA_PLATFORM_LINUX)
        cua_jsonout_string("flavour", cua_word_flavour(kmd->flavour));
    else
        cua_jsonout_null("flavour");
    cua_jsonout_text("source", kmd->source);
    cua_jsonout_text("trouble", kmd->trouble);
    cua_jsonout_close('}');
}

static void gpus(const struct cua_report *report)
{
    const struct cua_facts *facts = &report->facts;
    char note[256];

    cua_jsonout_open("gpus", '[');
    for (size_t i = 0; i < facts->gpu_count; i++) {
        const struct cua_gpu *gpu = &facts->gpus[i];
        cua_jsonout_open(NULL, '{');
        cua_jsonout_text("model", gpu->model);
        cua_jsonout_text("uuid", gpu->uuid);
        cua_jsonout_text("pci", gpu->pci);
        cua_jsonout_text("brand",
                         gpu->brand == CUA_BRAND_UNKNOWN ? "" : cua_brand_name(gpu->brand));
        dotted("compute_capability", gpu->cc);
        cua_jsonout_bool("visible", gpu->visible);
        cua_jsonout_text("source", gpu->source);
        cua_jsonout_close('}');
    }
    cua_jsonout_close(']');
    cua_jsonout_bool("gpus_known", facts->gpus_known);
    cua_report_visible(report, note, sizeof(note));
    cua_jsonout_text("visible_note", note);
}

static void toolkit(const struct cua_toolkit *toolkit)
{
    if (!toolkit->cuda) {
        cua_jsonout_null("toolkit");
        return;
    }
    cua_jsonout_texts("toolkit", "cuda", cua_dotted(toolkit->cuda), "kind",
                      cua_word_toolkit(toolkit->kind), "source", toolkit->source, NULL);
}

static void found(unsigned bits)
{
    cua_jsonout_open("found", '[');
    for (unsigned n = 0; cua_word_found(n); n++)
        if (bits & 1u << n)
            cua_jsonout_string(NULL, cua_word_found(n));
    cua_jsonout_close(']');
}

static void note(const struct cua_note *note)
{
    if (!note->present && !note->trouble[0]) {
        cua_jsonout_null("note");
        return;
    }
    cua_jsonout_open("note", '{');
    dotted("cuda", note->cuda);
    cua_jsonout_open("branches", '[');
    for (size_t i = 0; i < note->branches; i++)
        cua_jsonout_number(NULL, note->branch[i]);
    cua_jsonout_close(']');
    cua_jsonout_open("brands", '[');
    for (size_t i = 0; i < note->brands; i++)
        cua_jsonout_number(NULL, note->brand[i]);
    cua_jsonout_close(']');
    cua_jsonout_text("trouble", note->trouble);
    cua_jsonout_close('}');
}

static void tried(const struct cua_umd *umd)
{
    if (umd->tried == CUA_TRIAL_NONE) {
        cua_jsonout_null("trial");
        return;
    }
    cua_jsonout_open("trial", '{');
    cua_jsonout_bool("answered", umd->tried == CUA_TRIAL_ANSWERED);
    if (umd->tried == CUA_TRIAL_ANSWERED)
        cua_jsonout_number("code", umd->trial_code);
    else
        cua_jsonout_null("code");
    cua_jsonout_close('}');
}

void cua_umd_json(const struct cua_umd *umd, const struct cua_subject *subject)
{
    char id[CUA_BUILD_ID];

    cua_jsonout_string("path", umd->path);
    cua_jsonout_text("version", umd->version.text);
    cua_jsonout_bool("version_from_content", umd->version_from_content);
    dotted("cuda", umd->cuda);
    cua_jsonout_text("build_id", cua_build_id(umd, subject, id));
    cua_jsonout_string("state", cua_word_state(umd->state));
    cua_jsonout_text("trouble", umd->trouble);
    note(&umd->note);
    cua_jsonout_bool("companions", umd->companions);
    cua_jsonout_text("missing", umd->missing);
    cua_jsonout_bool("tegra", umd->tegra);
}

static void candidates(const struct cua_facts *facts, const struct cua_subject *subject)
{
    struct cua_detail detail;

    cua_jsonout_open("candidates", '[');
    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        cua_jsonout_open(NULL, '{');
        cua_jsonout_string("reason", cua_reason_code(cua_judge(&detail, facts, umd)));
        cua_jsonout_text("detail", detail.text);
        cua_jsonout_text("obstacle", umd->obstacle);
        cua_umd_json(umd, subject);
        found(umd->found);
        cua_jsonout_bool("loader_default", umd == facts->loader);
        cua_jsonout_bool("trusted", umd->trusted);
        cua_jsonout_text("distrust", umd->distrust ? umd->distrust : "");
        tried(umd);
        cua_jsonout_close('}');
    }
    cua_jsonout_close(']');
}

static void policy(const struct cua_report *report)
{
    const struct cua_policy *policy = &report->policy;
    char name[64];

    cua_jsonout_open("policy", '{');
    cua_jsonout_string("kind", cua_policies[policy->kind]);
    cua_jsonout_string("from", policy->from ? policy->from : "default");
    cua_jsonout_text("libcuda", policy->libcuda);
    cua_jsonout_string("trial", cua_trial_kinds[policy->trial]);
    cua_jsonout_number("trial_timeout", policy->trial_timeout);
    cua_jsonout_bool("disabled", policy->disabled);
    cua_jsonout_open("unknown", '[');
    for (size_t at = 0; cua_site_unknown(&report->settings, &at, name, sizeof(name));)
        cua_jsonout_string(NULL, name);
    cua_jsonout_close(']');
    cua_jsonout_close('}');
}

/* Writes the settings in the environment of another process that is examined, and what cuarbiter
 * would choose by them. */
static void own_settings(const struct cua_report *report)
{
    const struct cua_verdict *verdict = &report->own_verdict;
    const char *name, *value;

    if (!report->subject.pid) {
        cua_jsonout_null("its_settings");
        return;
    }
    cua_jsonout_open("its_settings", '{');
    cua_jsonout_open("environment", '{');
    for (size_t at = 0; (name = cua_process_setting(report->subject.env, &at, &value));)
        cua_jsonout_string(name, value);
    cua_jsonout_close('}');
    cua_jsonout_text("chosen", verdict->chosen ? verdict->chosen->path : "");
    cua_jsonout_text("reason",
                     report->own_words.explanation[0] ? cua_reason_code(verdict->reason) : "");
    cua_jsonout_close('}');
}

static void shim(const struct cua_report *report)
{
    char trouble[PATH_MAX + 128];
    struct cua_ident_read ident;
    const struct cua_running_file *shim = cua_report_shim(report, &ident);

    cua_jsonout_open("shim", '{');
    if (report->looked)
        cua_jsonout_bool("active", shim && !report->process.absent);
    else
        cua_jsonout_null("active");
    cua_jsonout_text("path", shim ? shim->path : "");
    cua_jsonout_text("version", ident.version);
    cua_jsonout_open("through", '[');
    for (unsigned i = 0; cua_report_through(report, i); i++)
        cua_jsonout_string(NULL, cua_report_through(report, i));
    cua_jsonout_close(']');
    cua_report_shim_trouble(report, trouble, sizeof(trouble));
    cua_jsonout_text("trouble", trouble);
    cua_jsonout_close('}');
}

static void process(const struct cua_report *report)
{
    const struct cua_running *process = &report->process;

    if (!report->looked || !process->pid) {
        cua_jsonout_null("process");
        return;
    }
    cua_jsonout_open("process", '{');
    cua_jsonout_number("pid", process->pid);
    cua_jsonout_text("name", process->name);
    cua_jsonout_text("exe", process->exe);
    cua_jsonout_open("mapped", '[');
    for (size_t i = 0; i < process->mapped_count; i++) {
        cua_jsonout_open(NULL, '{');
        cua_jsonout_string("kind", cua_word_mapped(process->mapped[i].kind));
        cua_jsonout_string("path", process->mapped[i].path);
        cua_jsonout_bool("gone", process->mapped[i].gone);
        cua_jsonout_close('}');
    }
    cua_jsonout_close(']');
    cua_jsonout_close('}');
}

static void majors(const struct cua_report *report)
{
    const struct cua_umd *newest = cua_report_newest(report);
    struct cua_verdict verdict;
    char cuda[12];

    cua_jsonout_open("rests_on", '[');
    for (int fact = CUA_FACT_KMD; fact < CUA_FACTS; fact++)
        if (report->verdict.rests_on & 1u << fact)
            cua_jsonout_string(NULL, cua_word_fact((enum cua_fact)fact));
    cua_jsonout_close(']');
    cua_jsonout_text("newest", newest ? newest->path : "");
    cua_jsonout_text("minor", report->minor ? report->minor->path : "");
    cua_jsonout_open("majors", '[');
    for (unsigned major = 11; major <= cua_report_last_major(report); major++) {
        if (!cua_report_major(report, major, &verdict))
            continue;
        cua_jsonout_open(NULL, '{');
        snprintf(cuda, sizeof(cuda), "%u", major);
        cua_jsonout_string("cuda", cuda);
        cua_jsonout_text("chosen", verdict.chosen ? verdict.chosen->path : "");
        cua_jsonout_string("works", cua_word_works(verdict.works));
        cua_jsonout_string("reason", cua_reason_code(verdict.reason));
        cua_jsonout_close('}');
    }
    cua_jsonout_close(']');
}

static void bring(const struct cua_report *report)
{
    struct cua_suit suit;

    cua_suit_json(cua_report_suit(report, &suit) ? &suit : NULL);
}

void cua_report_json(const struct cua_report *report)
{
    const struct cua_verdict *verdict = &report->verdict;
    const struct cua_facts *facts = &report->facts;

    cua_jsonout_number("schema", 1);
    chosen(verdict);
    cua_jsonout_string("works", cua_word_works(verdict->works));
    cua_jsonout_string("reason", cua_reason_code(verdict->reason));
    cua_jsonout_text("would_try", cua_report_open(report) ? cua_report_open(report)->path : "");
    cua_jsonout_string("explanation", report->words.explanation);
    cua_jsonout_text("help", report->words.help);
    bring(report);
    without(facts);
    hooked(report);
    majors(report);
    kmd(&facts->kmd);
    gpus(report);
    cua_jsonout_bool("mps", facts->mps);
    toolkit(&facts->toolkit);
    candidates(facts, &report->subject);
    policy(report);
    own_settings(report);
    shim(report);
    process(report);
    cua_jsonout_open("data", '{');
    cua_jsonout_string("date", (facts->data ? facts->data : &cua_data_builtin)->date);
    cua_jsonout_number("newest_branch", cua_data_newest_branch(facts->data));
    cua_jsonout_text("above", cua_report_above(report));
    cua_jsonout_text("replaced", facts->data ? facts->data->replaced : "");
    cua_jsonout_text("trouble", facts->data ? facts->data->trouble : "");
    cua_jsonout_close('}');
    cua_jsonout_string("cuarbiter", CUA_VERSION);
}
