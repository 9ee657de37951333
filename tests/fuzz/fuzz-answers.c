/* SPDX-License-Identifier: Apache-2.0 */
/* A whole kept answers file: question, limit, answer. */
#include <stdint.h>

#include "trial/cache.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The first byte: of NVML or of a driver, and whether the file begins as this question does. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct cua_trial_key q = {
        .text = "cuarbiter-trial 3\nepoch x\nkmd 535.54.03\n", .length = 40, .limit = 10};
    static struct cua_trial_answers answers;
    struct cua_trial_answers *gpus = size && bytes[0] & 1 ? &answers : NULL;
    struct cua_trial trial, again;
    struct cua_trial_key other;
    size_t head = size && bytes[0] & 2 ? 0 : q.length;
    char *entry;

    if (!size || head + size > CUA_ENTRY)
        return 0;
    q.trial = &trial;
    q.gpus = gpus;
    other = q;
    other.trial = &again;
    entry = malloc(head + size);
    memcpy(entry, q.text, head);
    memcpy(entry + head, bytes + 1, size - 1);
    entry[head + size - 1] = '\0';
    time_t now = time(NULL);
    if (parse(&q, entry, now)) {
        size_t count = gpus ? gpus->gpus : 0;
        char *printed = print(&q);
        /* What holds now holds when it was written again. */
        if (!printed || !parse(&other, printed, now) || again.how != trial.how ||
            again.code != trial.code || again.devices != trial.devices ||
            (gpus && gpus->gpus != count))
            abort();
        free(printed);
    }
    free(entry);
    return 0;
}
