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
#include "rules/need.h"
#include "store/folder.h"
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
    static struct cua_manifest manifest;
    char wrong[CUA_MEMBER_NAME];
    int dir =
        store->fd < 0 || !cua_store_is_version(version) ? -ENOENT : cua_store_open(store, version);
    bool usable;

    if (dir < 0)
        return dir == -ENOENT ? cua_store_refuse(store, "%s does not have it", store->path)
                              : cua_store_refuse(store, "%s", strerror(-dir));
    if (!(usable = cua_store_is_whole(store, dir, version)))
        cua_store_refuse(store, "%s",
                         cua_store_read(store, version, &manifest, wrong) == CUA_BROUGHT_REMOVED
                             ? "it was removed"
                             : "incomplete: it has no manifest");
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
        return -errno;
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

/* Writes the rows to the store, under its lock. False: the reason is in tried->store.why. */
static bool write_runs(struct tried *tried, const char *version, const struct cua_kernel_run *runs,
                       size_t count)
{
    struct cua_store store = {.fd = -1, .lock = -1};

    cua_copy(store.path, sizeof store.path, tried->store.path);
    bool locked = cua_store_lock(&store);
    bool kept =
        locked && is_usable(&store, version) && cua_store_keep_runs(&store, version, runs, count);
    if (!kept)
        cua_store_refuse(&tried->store, "%s%s%s", locked ? "" : tried->store.path,
                         locked ? "" : ": ", store.why);
    cua_store_close(&store);
    return kept;
}

/* Stores the trial's result for each of this machine's GPUs. False: the reason is in
 * tried->store.why. */
static bool keep(struct tried *tried, const char *version, const struct cua_trial *trial)
{
    const struct cua_facts *facts = &tried->facts;
    struct cua_kernel_run runs[CUA_RUNS_MOST] = {0};
    const bool ran = trial->how == CUA_TRIAL_RAN && trial->code == 0;

    if (!cua_version_known(&facts->kmd.version))
        return cua_store_refuse(&tried->store, "the kernel driver's version is not known");
    if (!facts->gpus_known || !facts->gpu_count)
        return cua_store_refuse(&tried->store, "it is not known which GPUs this machine has");
    if (facts->gpu_count > CUA_RUNS_MOST)
        return cua_store_refuse(&tried->store, "this machine has more than %d GPUs", CUA_RUNS_MOST);
    if (ran && (size_t)trial->devices != facts->gpu_count)
        return cua_store_refuse(&tried->store, "CUDA found %d GPU%s, but this machine has %zu",
                                trial->devices, trial->devices == 1 ? "" : "s", facts->gpu_count);
    for (size_t i = 0; i < facts->gpu_count; i++) {
        if (!facts->gpus[i].model[0])
            return cua_store_refuse(&tried->store, "the model of a GPU is not known");
        runs[i] = (struct cua_kernel_run){
            .kmd = facts->kmd.version, .cc = facts->gpus[i].cc, .runs = ran};
        cua_copy(runs[i].model, sizeof runs[i].model, facts->gpus[i].model);
    }
    return write_runs(tried, version, runs, facts->gpu_count);
}

/* Writes which programs of this machine get a driver on which a kernel ran, as the rules for
 * brought drivers decide it (rules/brought.c). */
static void tell_who(const struct tried *tried, const char *version, char *text, size_t size)
{
    const struct cua_facts *facts = &tried->facts;
    unsigned host = cua_data_umd_cuda(facts->data, &facts->kmd.version);
    struct cua_version mine;
    char cuda[12];

    cua_version_parse(&mine, version);
    unsigned own = cua_data_umd_cuda(facts->data, &mine);
    text[0] = '\0';
    if (tried->options->store || facts->kmd.platform != CUA_PLATFORM_LINUX || !host)
        return;
    if (cua_is_part_or_sealed(facts))
        snprintf(text, size, "; %s programs get it only if CUARBITER_LIBCUDA names it",
                 facts->circumstances.mig ? "on a part of a GPU (MIG)" : "in a confidential VM");
    else if (own && own / 1000 <= host / 1000)
        snprintf(text, size,
                 "; programs here do not need it: the host's driver has CUDA %s, which starts "
                 "programs of CUDA %u",
                 cua_cuda_text(host, cuda), own / 1000);
    else
        snprintf(text, size, "; programs here can get it");
}

static void print(struct tried *tried, const char *version, const struct cua_trial *trial,
                  const char *trouble, bool kept)
{
    const bool ran = trial->how == CUA_TRIAL_RAN && trial->code == 0;
    char who[160];

    if (tried->options->json) {
        cua_jsonout_open(NULL, '{');
        cua_jsonout_text("version", version);
        cua_jsonout_bool("runs", ran && trial->devices > 0);
        cua_jsonout_text("trouble", trouble);
        cua_jsonout_bool("kept", kept);
        cua_jsonout_close('}');
    } else if (!trouble[0]) {
        tell_who(tried, version, who, sizeof who);
        printf("%s ran a kernel on %d GPU%s, with kernel driver %s%s\n", version, trial->devices,
               trial->devices == 1 ? "" : "s", tried->facts.kmd.version.text, who);
    } else {
        cua_complain(version, "%s%s", trouble,
                     kept ? "; cuarbiter chooses it for no program here until a later try succeeds"
                          : "");
    }
}

/* What the trial was doing, for a message. */
static const char *doing(enum cua_trial_step step)
{
    return step == CUA_STEP_CONTEXT   ? "making a context"
           : step == CUA_STEP_KERNEL  ? "running the kernel"
           : step == CUA_STEP_DEVICES ? "listing the GPUs"
           : step == CUA_STEP_CC      ? "reading a compute capability"
           : step == CUA_STEP_NEEDS   ? cua_trial_step_word(CUA_STEP_LOAD)
                                      : cua_trial_step_word(step ? step : CUA_STEP_INIT);
}

static void describe(char *text, size_t size, const struct cua_trial *trial)
{
    const char *step = doing(trial->step);
    const char *what = may_pass(trial) ? "did not run this time" : "does not run here";

    if (trial->how != CUA_TRIAL_RAN)
        snprintf(text, size, "%s: %s (%s %s)", what, trial->trouble,
                 trial->step > CUA_STEP_INIT ? "while" : "in", step);
    else if (trial->code)
        snprintf(text, size, "%s: %s failed with %d %s%s%s", what, step, trial->code, trial->name,
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
        snprintf(trouble, sizeof trouble, "its libcuda.so.1 cannot be tried: %s",
                 cua_trial_why_not(error));
    } else {
        describe(trouble, sizeof trouble, &trial);
        if (is_lasting(&trial) && !(kept = keep(tried, version, &trial)) && !trouble[0])
            snprintf(trouble, sizeof trouble,
                     "ran a kernel on %d GPU%s, but this result is not stored: %.800s",
                     trial.devices, trial.devices == 1 ? "" : "s", tried->store.why);
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
