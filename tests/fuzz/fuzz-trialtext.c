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
    char *text = malloc(size + 1), *line, *rest = text, report[1024];
    struct cua_trial trial, again;

    memcpy(text, bytes, size);
    text[size] = '\0';
    cua_trial_clear(&trial);
    while ((line = strsep(&rest, "\n")))
        cua_trial_line(&trial, line);
    /* Whatever was read can be written, and reads the same again. */
    if (cua_trial_print(&trial, report, sizeof(report)) > 0) {
        cua_trial_clear(&again);
        for (rest = report; (line = strsep(&rest, "\n"));)
            cua_trial_line(&again, line);
        if (again.how != trial.how || again.code != trial.code || again.devices != trial.devices)
            abort();
    }
    free(text);
    return 0;
}
