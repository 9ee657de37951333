/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/report.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cuda_error.h"

static const char *const hows[] = {
    [CUA_TRIAL_RAN] = "ran", [CUA_TRIAL_TIMEOUT] = "timeout", [CUA_TRIAL_BROKEN] = "broken"};

void cua_trial_clear(struct cua_trial *trial)
{
    memset(trial, 0, sizeof(*trial));
    trial->how = CUA_TRIAL_BROKEN;
    trial->code = -1;
    trial->devices = -1;
}

size_t cua_trial_print(const struct cua_trial *trial, char *buf, size_t size)
{
    int n =
        snprintf(buf, size, "how %s\ncode %d\nstep %s\ndriver %d\ndevices %d\ncc %u\ntrouble %s\n",
                 hows[trial->how], trial->code, trial->step, trial->driver, trial->devices,
                 trial->lowest_cc, trial->trouble);
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

static int number(const char *value, int otherwise)
{
    char *end;
    long n = strtol(value, &end, 10);

    return end != value && *end == '\0' && n >= INT_MIN && n <= INT_MAX ? (int)n : otherwise;
}

static void words(char *to, size_t size, const char *value)
{
    snprintf(to, size, "%s", value);
    for (char *p = to; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = ' ';
}

void cua_trial_line(struct cua_trial *trial, const char *line)
{
    const char *value = strchr(line, ' ');
    size_t key = value ? (size_t)(value - line) : strlen(line);

#define IS(name) (key == sizeof(name) - 1 && memcmp(line, name, key) == 0)
    value = value ? value + 1 : "";
    if (IS("how")) {
        for (size_t i = 0; i < sizeof(hows) / sizeof(*hows); i++)
            if (strcmp(value, hows[i]) == 0)
                trial->how = i;
    } else if (IS("code")) {
        trial->code = number(value, -1);
        snprintf(trial->name, sizeof(trial->name), "%s", cua_cuda_error_name(trial->code));
    } else if (IS("step")) {
        words(trial->step, sizeof(trial->step), value);
    } else if (IS("driver")) {
        trial->driver = number(value, 0);
    } else if (IS("devices")) {
        trial->devices = number(value, -1);
    } else if (IS("cc")) {
        int cc = number(value, 0);
        trial->lowest_cc = cc > 0 ? (unsigned)cc : 0;
    } else if (IS("trouble")) {
        words(trial->trouble, sizeof(trial->trouble), value);
    }
#undef IS
}
