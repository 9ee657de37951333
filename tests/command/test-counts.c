/* SPDX-License-Identifier: Apache-2.0 */
/* What counts for and against a driver, and several questions in one run. */
#include "apart.h"

#include <limits.h>
#include <sys/stat.h>

#include "rules/fate.h"
#include "trial/report.h"
#include "trial/trial.h"

static struct cua_trial_answers answers;
static char folder[] = "/tmp/cuarbiter-counts.XXXXXX";

/* What the rules make of a file's trial, with the native driver's beside it. */
enum says { NOTHING, WORKS, FAILS };

static enum says counts(const struct cua_trial *trial)
{
    struct cua_umd native = {.tried = trial->native >= 0 ? CUA_TRIAL_ANSWERED : CUA_TRIAL_NONE,
                             .trial_code = trial->native};
    struct cua_facts facts = {.native = &native};
    bool refused = cua_trial_refused(trial);
    struct cua_umd umd = {.tried = trial->how == CUA_TRIAL_RAN || refused ? CUA_TRIAL_ANSWERED
                                                                          : CUA_TRIAL_SILENT,
                          .trial_code = refused ? CUA_TRIAL_NOT_LOADED : trial->code};

    return cua_trial_fails(&facts, &umd)                            ? FAILS
           : umd.tried == CUA_TRIAL_ANSWERED && umd.trial_code == 0 ? WORKS
                                                                    : NOTHING;
}

static enum says says(enum cua_trial_how how, enum cua_trial_step step, int code, int native)
{
    struct cua_trial trial = {.how = how, .step = step, .code = code, .native = native};

    return counts(&trial);
}

static void codes_that_count(void)
{
    MUST(says(CUA_TRIAL_RAN, CUA_STEP_NONE, 0, -1) == WORKS);
    for (int code = 1; code < 1100; code++) {
        bool fails = code == 34 || code == 803 || code == 804;
        for (int native = -1; native < 1100; native++)
            MUST(says(CUA_TRIAL_RAN, CUA_STEP_INIT, code, native) ==
                 (fails || (code == 100 && native == 0) ? FAILS : NOTHING));
        /* Silence, whatever is left of an answer. */
        MUST(says(CUA_TRIAL_TIMEOUT, CUA_STEP_INIT, code, 0) == NOTHING);
        MUST(says(CUA_TRIAL_BROKEN, CUA_STEP_INIT, code, 0) == NOTHING);
        MUST(says(CUA_TRIAL_UNTRIED, CUA_STEP_NONE, code, 0) == NOTHING);
    }
    MUST(says(CUA_TRIAL_UNLOADED, CUA_STEP_LOAD, -1, -1) == NOTHING);
    MUST(says(CUA_TRIAL_UNLOADED, CUA_STEP_LOAD, -1, 100) == FAILS);
    MUST(says(CUA_TRIAL_UNLOADED, CUA_STEP_NEEDS, -1, 0) == NOTHING);
}

static void run(const char *what, const char *a, const char *b)
{
    char command[3 * PATH_MAX];

    snprintf(command, sizeof(command), "set -- '%s' '%s'; %s", a, b, what);
    MUST(system(command) == 0);
}

static void forget(void)
{
    run("rm -r \"$1/cuarbiter\"", folder, "");
}

/* The odd driver under a name, by which ODD_NAME sets what it does. */
static const char *copy(char *path, const char *name)
{
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    run("cp \"$1\" \"$2\"", driver, path);
    return path;
}

static void prepare(void)
{
    char counter[PATH_MAX];

    MUST(mkdtemp(folder));
    snprintf(counter, sizeof(counter), "%s/count", folder);
    setenv("ODD_COUNT", counter, 1);
    setenv("XDG_RUNTIME_DIR", folder, 1);
}

static void finish(void)
{
    run("rm -r \"$1\"", folder, "");
}

static int count(void)
{
    struct stat st;

    return stat(getenv("ODD_COUNT"), &st) == 0 ? (int)st.st_size : 0;
}

static enum says ask(const char *nvml, const char *native, const char *l, const char *other,
                     unsigned limit)
{
    const struct cua_settings settings = {.home = home};
    const struct cua_trial_request request = {.settings = &settings,
                                              .limit = limit,
                                              .kmd = "535.1",
                                              .nvml = nvml,
                                              .native = native,
                                              .file = {l, other}};
    int err = cua_trial_ask(&answers, &request);

    MUST(err == 0 || err == CUA_BAR_WAITED);
    return counts(&answers.file[0]);
}

/* Each code by a real child, and with a native driver that works, has no device, or hangs. */
static void codes_of_children(void)
{
    static const struct {
        const char *l, *native;
        enum says says;
        int runs;
    } rows[] = {
        {"0", "0", WORKS, 1},           {"2", "0", NOTHING, 1},     {"46", "0", NOTHING, 1},
        {"100", "0", FAILS, 2},         {"100", "100", NOTHING, 2}, {"100", "803", NOTHING, 2},
        {"100", "crash", NOTHING, 2},   {"34", "0", FAILS, 1},      {"802", "0", NOTHING, 1},
        {"803", "0", FAILS, 1},         {"804", "0", FAILS, 1},     {"805", "0", NOTHING, 1},
        {"999", "0", NOTHING, 1},       {"crash", "0", NOTHING, 1}, {"exit", "0", NOTHING, 1},
        {"exit-well", "0", NOTHING, 1}, {"fork", "0", WORKS, 1},    {"fork-session", "0", WORKS, 1},
    };
    char l[PATH_MAX], native[PATH_MAX];

    prepare();
    copy(l, "l");
    copy(native, "native");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        int before = count();
        setenv("ODD_l", rows[i].l, 1);
        setenv("ODD_native", rows[i].native, 1);
        enum says got = ask(NULL, native, l, NULL, 60);
        if (got != rows[i].says || count() - before != rows[i].runs)
            fprintf(stderr, "# %s, native %s: %d, %d runs\n", rows[i].l, rows[i].native, got,
                    count() - before);
        MUST(got == rows[i].says && count() - before == rows[i].runs);
        /* As it is kept, with what native answered in the same run. */
        MUST(ask(NULL, native, l, NULL, 60) == got && count() - before == rows[i].runs);
        forget();
    }
    finish();
}

static void what_does_not_load(void)
{
    char native[PATH_MAX], damaged[PATH_MAX], needy[PATH_MAX];

    prepare();
    copy(native, "native");
    snprintf(damaged, sizeof(damaged), "%s/damaged", folder);
    /* ld.so dies of the one, and refuses the other. */
    for (int i = 0; i < 2; i++) {
        run(i ? "head -c 500 \"$1\" >\"$2\"" : "head -c 5000 \"$1\" >\"$2\"", native, damaged);
        MUST(ask(NULL, native, damaged, NULL, 60) == FAILS);
        MUST(answers.file[0].how == CUA_TRIAL_UNLOADED && answers.file[0].native == 0);
        forget();
    }
    MUST(ask(NULL, NULL, damaged, NULL, 60) == NOTHING);
    forget();
    MUST(ask(NULL, damaged, damaged, NULL, 60) == NOTHING);
    /* It lacks a library that the program may know where to find. */
    snprintf(needy, sizeof(needy), "%s/needy", folder);
    run("sed 's/libc\\.so\\.6/libc.so.9/g' \"$1\" >\"$2\"", native, needy);
    MUST(ask(NULL, native, needy, NULL, 60) == NOTHING);
    MUST(answers.file[0].step == CUA_STEP_NEEDS);
    finish();
}

static void nvml_tells_the_gpus(void)
{
    char nvml[PATH_MAX], l[PATH_MAX];
    struct cua_facts facts = {.gpu_count = 0};

    prepare();
    copy(nvml, "nvml");
    copy(l, "l");
    setenv("ODD_l", "804", 1);
    for (int i = 0; i < 2; i++) {
        MUST(ask(nvml, NULL, l, NULL, 60) == FAILS);
        MUST(answers.nvml.how == CUA_TRIAL_RAN && answers.nvml.code == 0);
        MUST(answers.nvml.devices == 2 && answers.gpus == 2);
        MUST(answers.gpu[0].brand == 5 && answers.gpu[0].cc == 89);
        MUST(answers.gpu[1].brand == CUA_BRAND_UNKNOWN && answers.gpu[1].cc == 80);
        MUST(strcmp(answers.gpu[1].uuid, "GPU-2") == 0);
    }
    MUST(count() == 2);
    cua_trial_take_gpus(&facts, &answers);
    MUST(facts.gpu_count == 2 && facts.gpus_known && !facts.gpus_none);
    facts.gpus[0].cc = 0;
    facts.gpus[0].model[0] = '\0';
    facts.gpus[0].guessed = facts.gpus[1].guessed = true;
    cua_trial_take_gpus(&facts, &answers);
    MUST(!facts.gpus[0].guessed && facts.gpus[1].guessed);
    MUST(facts.gpu_count == 2 && facts.gpus[0].cc == 89 && facts.gpus[0].model[0]);
    cua_facts_free(&facts);
    finish();
}

static void list_that_is_not_whole_is_not_known(void)
{
    static const char *const odds[] = {"lost", "many", "no-devices", "18"};
    char nvml[PATH_MAX];

    for (size_t i = 0; i < sizeof(odds) / sizeof(*odds); i++) {
        struct cua_facts facts = {.gpu_count = 0};
        strcpy(folder, "/tmp/cuarbiter-counts.XXXXXX");
        prepare();
        copy(nvml, "nvml");
        setenv("ODD", odds[i], 1);
        ask(nvml, NULL, NULL, NULL, 60);
        cua_trial_take_gpus(&facts, &answers);
        MUST(!facts.gpus_known);
        MUST(facts.gpus_none == (strcmp(odds[i], "no-devices") == 0));
        MUST(facts.gpu_count == (i == 0 ? 1 : i == 1 ? CUA_TRIAL_GPUS : 0));
        cua_facts_free(&facts);
        finish();
    }
}

/* NVML counts GPUs, and says nothing of the first: they are there. */
static void counted_gpus_are_there(void)
{
    struct cua_facts facts = {.gpu_count = 0};
    struct cua_trial_answers counted = {.nvml = {.how = CUA_TRIAL_RAN, .devices = 2}};

    cua_trial_take_gpus(&facts, &counted);
    MUST(!facts.gpus_none && !facts.gpus_known);
    counted.nvml.devices = 0;
    cua_trial_take_gpus(&facts, &counted);
    MUST(facts.gpus_none);
}

/* Whatever NVML does, the driver is tried after it, and the program goes on. */
static void nvml_misbehaves(void)
{
    static const char *const odds[] = {"crash", "exit", "exit-well", "fork", "fork-session"};
    char nvml[PATH_MAX], l[PATH_MAX];

    prepare();
    copy(nvml, "nvml");
    copy(l, "l");
    setenv("ODD_l", "803", 1);
    for (size_t i = 0; i < sizeof(odds) / sizeof(*odds); i++) {
        setenv("ODD_nvml", odds[i], 1);
        MUST(ask(nvml, NULL, l, NULL, 60) == FAILS);
        MUST((answers.nvml.how == CUA_TRIAL_RAN) == (i > 2));
        forget();
    }
    finish();
}

/* Four that hang take one limit. */
static void all_within_one_limit(void)
{
    char nvml[PATH_MAX], l[PATH_MAX], other[PATH_MAX];
    long long before = now_ms();

    prepare();
    copy(nvml, "nvml");
    copy(l, "l");
    copy(other, "other");
    setenv("ODD", "hang", 1);
    MUST(ask(nvml, NULL, l, other, 1) == NOTHING);
    MUST(now_ms() - before < 2500);
    MUST(answers.nvml.how == CUA_TRIAL_TIMEOUT && answers.file[1].how == CUA_TRIAL_UNTRIED);
    finish();
}

/* In order: the loader's choice first. */
static void files_in_order(void)
{
    char l[PATH_MAX], other[PATH_MAX];

    prepare();
    copy(l, "l");
    copy(other, "other");
    setenv("ODD_l", "804", 1);
    setenv("ODD_other", "0", 1);
    MUST(ask(NULL, NULL, l, other, 60) == FAILS);
    MUST(counts(&answers.file[1]) == WORKS && count() == 2);
    finish();
}

#define CASES(X)                                                                                   \
    X(codes_that_count)                                                                            \
    X(codes_of_children)                                                                           \
    X(what_does_not_load)                                                                          \
    X(nvml_tells_the_gpus)                                                                         \
    X(list_that_is_not_whole_is_not_known)                                                         \
    X(counted_gpus_are_there)                                                                      \
    X(nvml_misbehaves)                                                                             \
    X(all_within_one_limit)                                                                        \
    X(files_in_order)

CUA_MAIN(CASES)
