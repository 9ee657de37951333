/* SPDX-License-Identifier: Apache-2.0 */
/* An NVML of another maker, as tests of monitoring programs bring along. */
#include <string.h>

int nvmlInit_v2(void);
int nvmlSystemGetDriverVersion(char *version, unsigned length);

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlSystemGetDriverVersion(char *version, unsigned length)
{
    if (length < sizeof("mock"))
        return 7;
    strcpy(version, "mock");
    return 0;
}
