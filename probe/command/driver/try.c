/* SPDX-License-Identifier: Apache-2.0 */
#include "command/driver/try.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/home.h"
#include "cli/jsonout.h"
#include "command/driver/suit.h"
#include "store/keep_run.h"
#include "trial/attempt.h"
#include "trial/child.h"
#include "trial/report.h"
#include "trial/trial.h"

#define SECONDS 60 /* per driver: enough to compile PTX and make a context on each of many GPUs */

struct tried {
    const struct cua_driver_options *options;
    struct cua_store store;
    struct cua_facts facts;            /* of this machine */
    char (*version)[CUA_VERSION_TEXT]; /* the drivers of the store; owned */
    size_t count;
    bool failed;
};

static void take(void *data, const char *version)
{
    struct tried *tried = data;
    void *more = realloc(tried->version, (tried->count + 1) * sizeof *tried->version);

    if (!more) {
        cua_complain(version, "%s", strerror(ENOMEM));
        tried->failed = true;
        return;
    }
    tried->version = more;
    cua_copy(tried->version[tried->count++], CUA_VERSION_TEXT, version);
}

/* Whether this driver can be tried. The store must have it, complete and not removed. Nobody but
 * root, this user and the store's owner may be able to change it. False: the reason is in
 * store->why. */
static bool is_usable(struct cua_store *store, const char *version)
{
    char wrong[NAME_MAX + 1];
    int dir = store->fd < 0 || !cua_store_is_version(version) ? -1 : cua_store_open(store, version);
    bool usable;

    if (dir < 0)
        return dir == -EACCES ? cua_store_refuse(store, "%s", strerror(-dir))
                              : cua_store_refuse(store, "%s does not have it", store->path);
    if (!(usable = cua_store_is_whole(store, dir, version)))
        cua_store_refuse(store, "it was removed, or it is not complete");
    else if (cua_store_others(store, dir, wrong))
        usable = cua_store_refuse(store, "not used: %s: " CUA_STORE_OTHERS, wrong);
    close(dir);
    return usable;
}

static int run_trial(struct tried *tried, const char *version, struct cua_trial *trial)
{
    const struct cua_settings settings = {.home = cua_home_folder()};
    const struct cua_trial_request request = {.settings = &settings, .kernel = true};
    char path[PATH_MAX] = "", file[PATH_MAX];

    cua_trial_clear(trial);
    cua_store_libcuda(&tried->store, version, path);
    if (!realpath(path, file))
        return -ENOENT;
    return cua_attempt(trial, NULL, &request, file, cua_child_now() + SECONDS * 1000LL);
}

/* Whether the failure may pass: time ran out, or CUDA's error is 2 (memory was short), 46 (a GPU
 * was in use) or 802 (the system was not ready yet). */
static bool may_pass(const struct cua_trial *trial)
{
    return trial->how == CUA_TRIAL_TIMEOUT || trial->code == 2 || trial->code == 46 ||
           trial->code == 802;
}

/* Whether to store the trial's result, because another trial would have the same result:
 * - Yes after a success, if there is a GPU.
 * - Yes after a failure to make a context or to run the kernel, unless it may pass.
 * - No after a failure of an earlier step, such as cuInit. */
static bool is_lasting(const struct cua_trial *trial)
{
    if (trial->how == CUA_TRIAL_RAN && trial->code == 0)
        return trial->devices > 0;
    return (trial->step == CUA_STEP_CONTEXT || trial->step == CUA_STEP_KERNEL) && !may_pass(trial);
}

/* Stores the trial's result for each of this machine's GPUs, under the store's lock. False: the
 * reason is in tried->store.why. */
static bool keep(struct tried *tried, const char *version, const struct cua_trial *trial)
{
    const struct cua_facts *facts = &tried->facts;
    struct cua_store store = {.fd = -1, .lock = -1};
    struct cua_kernel_run runs[CUA_RUNS_MOST] = {0};
    const bool ran = trial->how == CUA_TRIAL_RAN && trial->code == 0;

    if (!cua_version_known(&facts->kmd.version) || !facts->gpus_known || !facts->gpu_count ||
        facts->gpu_count > CUA_RUNS_MOST)
        return cua_store_refuse(&tried->store,
                                "this machine's kernel driver or GPUs are not known");
    if (ran && (size_t)trial->devices != facts->gpu_count)
        return cua_store_refuse(&tried->store, "only %d of %zu GPUs were there", trial->devices,
                                facts->gpu_count);
    for (size_t i = 0; i < facts->gpu_count; i++) {
        if (!facts->gpus[i].model[0])
            return cua_store_refuse(&tried->store, "the model of a GPU is not known");
        runs[i] = (struct cua_kernel_run){
            .kmd = facts->kmd.version, .cc = facts->gpus[i].cc, .runs = ran};
        cua_copy(runs[i].model, sizeof runs[i].model, facts->gpus[i].model);
    }
    cua_copy(store.path, sizeof store.path, tried->store.path);
    bool kept = cua_store_lock(&store) && is_usable(&store, version) &&
                cua_store_keep_runs(&store, version, runs, facts->gpu_count);
    if (!kept)
        cua_store_refuse(&tried->store, "%s", store.why);
    cua_store_close(&store);
    return kept;
}

static void print(struct tried *tried, const char *version, const struct cua_trial *trial,
                  const char *trouble, bool kept)
{
    const bool ran = trial->how == CUA_TRIAL_RAN && trial->code == 0;

    if (tried->options->json) {
        cua_jsonout_open(NULL, '{');
        cua_jsonout_text("version", version);
        cua_jsonout_bool("runs", ran && trial->devices > 0);
        cua_jsonout_text("trouble", trouble);
        cua_jsonout_bool("kept", kept);
        cua_jsonout_close('}');
    } else if (!trouble[0]) {
        printf("%s ran a kernel on %d GPU%s, with kernel driver %s%s\n", version, trial->devices,
               trial->devices == 1 ? "" : "s", tried->facts.kmd.version.text,
               tried->options->store ? "" : "; programs here can get it");
    } else {
        cua_complain(version, "%s%s", trouble,
                     kept ? "; no program here gets it until it is tried again" : "");
    }
}

static void describe(char *text, size_t size, const struct cua_trial *trial)
{
    const char *step = cua_trial_step_word(trial->step ? trial->step : CUA_STEP_INIT);
    const char *what = may_pass(trial) ? "did not run this time" : "does not run here";

    if (trial->how != CUA_TRIAL_RAN)
        snprintf(text, size, "%s: %s (in %s)", what, trial->trouble, step);
    else if (trial->code)
        snprintf(text, size, "%s: %s = %d %s%s%s", what, step, trial->code, trial->name,
                 trial->trouble[0] ? " " : "", trial->trouble);
    else if (trial->devices < 1)
        snprintf(text, size, "there is no GPU to run on");
}

static void try_one(struct tried *tried, const char *version)
{
    char trouble[CUA_REFUSAL] = "";
    struct cua_trial trial;
    bool kept = false;
    int error;

    cua_trial_clear(&trial);
    if (!is_usable(&tried->store, version)) {
        cua_copy(trouble, sizeof trouble, tried->store.why);
    } else if ((error = run_trial(tried, version, &trial))) {
        snprintf(trouble, sizeof trouble, "cannot be tried: %s", cua_trial_why_not(error));
    } else {
        describe(trouble, sizeof trouble, &trial);
        if (is_lasting(&trial) && !(kept = keep(tried, version, &trial)) && !trouble[0])
            snprintf(trouble, sizeof trouble,
                     "ran a kernel on %d GPU%s, but that is not kept: %.800s", trial.devices,
                     trial.devices == 1 ? "" : "s", tried->store.why);
    }
    tried->failed |= trouble[0] != '\0';
    print(tried, version, &trial, trouble, kept);
}

int cua_driver_try(const struct cua_driver_options *options, char **words, int count)
{
    const struct cua_overrides nothing = {.toolkit = NULL};
    struct tried *tried = calloc(1, sizeof *tried);
    int code = 1;

    if (!tried)
        return 1;
    tried->options = options;
    if (!cua_driver_store(&tried->store, options) || !cua_store_look_to_run(&tried->store)) {
        cua_driver_failed(tried->store.path[0] ? tried->store.path : "driver", &tried->store);
        goto out;
    }
    /* Try every GPU, even if CUDA_VISIBLE_DEVICES hides some; and disable CUDA's cache of compiled
     * code, so that the driver really compiles the PTX. */
    unsetenv("CUDA_VISIBLE_DEVICES");
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    cua_suit_facts(&tried->facts, &nothing);
    if (!count)
        cua_store_each(&tried->store, take, tried);
    if (!count && !tried->count) {
        cua_complain(tried->store.path, "no driver has been added to this folder");
        goto out;
    }
    if (options->json)
        cua_jsonout_open(NULL, '[');
    for (int i = 0; i < count; i++)
        try_one(tried, words[i]);
    for (size_t i = 0; i < tried->count; i++)
        try_one(tried, tried->version[i]);
    if (options->json)
        cua_jsonout_close(']');
    code = tried->failed;
out:
    cua_store_close(&tried->store);
    cua_facts_free(&tried->facts);
    free(tried->version);
    free(tried);
    return code;
}
