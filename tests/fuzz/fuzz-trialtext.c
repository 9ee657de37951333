/* SPDX-License-Identifier: Apache-2.0 */
/* What a trial's child reports and what the cache keeps of it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trial/report.h"
#include "trial/trial.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct cua_trial_answers answers, other;
    char *text = malloc(size + 1), report[1024];
    struct cua_trial trial, again;

    memcpy(text, bytes, size);
    text[size] = '\0';
    cua_trial_lines(&trial, &answers, text);
    /* Whatever was read can be written, and reads the same again. */
    if (cua_trial_print(&trial, report, sizeof(report)) > 0) {
        cua_trial_lines(&again, NULL, report);
        if (again.how != trial.how || again.code != trial.code || again.devices != trial.devices)
            abort();
    }
    for (size_t i = 0; i < answers.gpus; i++) {
        const struct cua_gpu *gpu = &other.gpu[0], *before = &answers.gpu[i];
        if (cua_trial_print_gpu(before, report, sizeof(report)) == 0)
            abort();
        cua_trial_lines(&again, &other, report);
        if (other.gpus != 1 || gpu->brand != before->brand || gpu->cc != before->cc ||
            strcmp(gpu->uuid, before->uuid))
            abort();
    }
    free(text);
    return 0;
}
