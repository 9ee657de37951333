/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A quota's library, as vcuda's libcuda-control.so is: it lies under the names of libcuda and NVML,
 * reads the kernel driver's version as NVIDIA's do, and would pass calls on to the real ones.
 * QUOTA_CUDA, QUOTA_ML: what it exports; QUOTA_IOCTL: it imports ioctl, too.
 */
#include <string.h>
#include <sys/ioctl.h>

#ifdef QUOTA_CUDA
int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);

int cuInit(unsigned flags)
{
    return flags ? 1 : 2; /* out of memory: the tenant's share is used up */
}

int cuDeviceGetCount(int *count)
{
    *count = 0;
    return 0;
}
#endif

#ifdef QUOTA_ML
int nvmlInit_v2(void);
int nvmlSystemGetDriverVersion(char *version, unsigned length);

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlSystemGetDriverVersion(char *version, unsigned length)
{
    strncpy(version, "quota", length);
    return 0;
}
#endif

const char *quota_version_file(void);

const char *quota_version_file(void)
{
#ifdef QUOTA_IOCTL
    ioctl(-1, 0);
#endif
    return "/proc/driver/nvidia/version";
}
