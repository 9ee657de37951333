/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/report.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "facts/gpu.h"

static const char *const hows[] = {[CUA_TRIAL_UNTRIED] = "untried",
                                   [CUA_TRIAL_RAN] = "ran",
                                   [CUA_TRIAL_UNLOADED] = "unloaded",
                                   [CUA_TRIAL_TIMEOUT] = "timeout",
                                   [CUA_TRIAL_BROKEN] = "broken"};

static const char *const steps[] = {
    [CUA_STEP_NONE] = "",           [CUA_STEP_LOAD] = "dlopen",     [CUA_STEP_NEEDS] = "needs",
    [CUA_STEP_INIT] = "cuInit",     [CUA_STEP_DEVICES] = "devices", [CUA_STEP_CC] = "cc",
    [CUA_STEP_CONTEXT] = "context", [CUA_STEP_KERNEL] = "kernel",
};

const char *cua_trial_step_word(enum cua_trial_step step)
{
    return steps[step];
}

#define FIND(words, word) cua_find(words, sizeof(words) / sizeof(*(words)), word)

void cua_trial_clear(struct cua_trial *trial)
{
    *trial = (struct cua_trial){.code = -1, .native = -1, .devices = -1};
}

static void words(char *to, size_t size, const char *value)
{
    snprintf(to, size, "%s", strcmp(value, "-") == 0 ? "" : value);
    for (char *p = to; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = '?';
}

size_t cua_trial_print(const struct cua_trial *trial, char *buf, size_t size)
{
    char trouble[sizeof(trial->trouble)];

    words(trouble, sizeof(trouble), trial->trouble); /* no line of its own for a path's newline */
    int n = snprintf(buf, size,
                     "how %s\ncode %d\nname %s\nnative %d\nstep %s\ndriver %d\ndevices %d\ncc %u\n"
                     "trouble %s\n",
                     hows[trial->how], trial->code, trial->name, trial->native,
                     cua_trial_step_word(trial->step), trial->driver, trial->devices,
                     trial->lowest_cc, trouble);
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

size_t cua_trial_print_gpu(const struct cua_gpu *gpu, char *buf, size_t size)
{
    int n = snprintf(buf, size, "gpu %d %u %u %s %s %s\n", gpu->brand, gpu->cc, gpu->device,
                     gpu->pci[0] ? gpu->pci : "-", gpu->uuid[0] ? gpu->uuid : "-", gpu->model);
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

static int number(const char *value, int otherwise)
{
    char *end;
    long n = strtol(value, &end, 10);

    return end != value && *end == '\0' && n >= INT_MIN && n <= INT_MAX ? (int)n : otherwise;
}

static unsigned natural(const char *value)
{
    int n = number(value, 0);

    return n > 0 ? (unsigned)n : 0;
}

static void take_gpu(struct cua_trial_answers *answers, char *value)
{
    char *field[5];

    if (!answers || answers->gpus == CUA_TRIAL_GPUS)
        return;
    for (size_t i = 0; i < sizeof(field) / sizeof(*field); i++)
        if (!(field[i] = strsep(&value, " ")) || !value)
            return;
    struct cua_gpu *gpu = &answers->gpu[answers->gpus++];
    int brand = number(field[0], 0);
    *gpu = (struct cua_gpu){.brand = brand > 0 ? brand : CUA_BRAND_UNKNOWN,
                            .cc = natural(field[1]),
                            .device = natural(field[2]),
                            .visible = true,
                            .source = "nvml"};
    words(gpu->pci, sizeof(gpu->pci), field[3]);
    words(gpu->uuid, sizeof(gpu->uuid), field[4]);
    words(gpu->model, sizeof(gpu->model), value);
}

/* Adds one line to the result. A line with an unknown key is skipped. */
static void take_line(struct cua_trial *trial, struct cua_trial_answers *answers, char *line)
{
    const char *key = strsep(&line, " "), *value = line ? line : "";
    int how = FIND(hows, value), step = FIND(steps, value);

    if (strcmp(key, "how") == 0)
        trial->how = how < 0 ? trial->how : (enum cua_trial_how)how;
    else if (strcmp(key, "code") == 0)
        trial->code = number(value, -1);
    else if (strcmp(key, "name") == 0)
        words(trial->name, sizeof(trial->name), value);
    else if (strcmp(key, "native") == 0)
        trial->native = number(value, -1);
    else if (strcmp(key, "step") == 0)
        trial->step = step < 0 ? CUA_STEP_NONE : (enum cua_trial_step)step;
    else if (strcmp(key, "driver") == 0)
        trial->driver = number(value, 0);
    else if (strcmp(key, "devices") == 0)
        trial->devices = number(value, -1);
    else if (strcmp(key, "cc") == 0)
        trial->lowest_cc = natural(value);
    else if (strcmp(key, "trouble") == 0)
        words(trial->trouble, sizeof(trial->trouble), value);
    else if (strcmp(key, "gpu") == 0)
        take_gpu(answers, line);
}

bool cua_trial_lines(struct cua_trial *trial, struct cua_trial_answers *answers, char *text)
{
    char *line;

    cua_trial_clear(trial);
    trial->how = CUA_TRIAL_BROKEN;
    if (answers)
        answers->gpus = 0;
    while ((line = strsep(&text, "\n")) && text) {
        if (strcmp(line, "end") == 0)
            return true;
        take_line(trial, answers, line);
    }
    return false;
}

static struct cua_gpu *find(struct cua_facts *facts, const struct cua_gpu *gpu)
{
    for (size_t i = 0; i < facts->gpu_count; i++) {
        struct cua_gpu *known = &facts->gpus[i];
        if ((gpu->pci[0] && strcasecmp(known->pci, gpu->pci) == 0) ||
            (gpu->uuid[0] && strcasecmp(known->uuid, gpu->uuid) == 0))
            return known;
    }
    return NULL;
}

static void merge(struct cua_gpu *known, const struct cua_gpu *gpu)
{
    if (!known->model[0])
        memcpy(known->model, gpu->model, sizeof(known->model));
    if (!known->uuid[0])
        memcpy(known->uuid, gpu->uuid, sizeof(known->uuid));
    if (!known->pci[0])
        memcpy(known->pci, gpu->pci, sizeof(known->pci));
    if (!known->device)
        known->device = gpu->device;
    if (gpu->brand != CUA_BRAND_UNKNOWN) {
        known->brand = gpu->brand;
        known->guessed = false;
    }
    if (gpu->cc)
        known->cc = gpu->cc;
    if (gpu->brand != CUA_BRAND_UNKNOWN || gpu->cc)
        memcpy(known->source, gpu->source, sizeof(known->source));
}

void cua_trial_take_gpus(struct cua_facts *facts, const struct cua_trial_answers *answers)
{
    const struct cua_trial *nvml = &answers->nvml;
    bool counted = nvml->how == CUA_TRIAL_RAN && nvml->code == 0 && nvml->devices >= 0;
    bool complete = counted && nvml->devices > 0 && answers->gpus == (size_t)nvml->devices;

    for (size_t i = 0; counted && i < answers->gpus; i++) {
        struct cua_gpu *known = find(facts, &answers->gpu[i]);
        if (known)
            merge(known, &answers->gpu[i]);
        else if ((known = cua_gpu_add(facts)))
            *known = answers->gpu[i];
        else
            complete = false;
    }
    facts->gpus_known |= complete;
    /* If NVML counts none and the list is still empty, there is certainly no GPU. But if a driver
     * was tried anyway and has answered, its answer decides. */
    facts->gpus_none = counted && nvml->devices == 0 && facts->gpu_count == 0 &&
                       answers->file[0].how != CUA_TRIAL_RAN;
}
