/* SPDX-License-Identifier: Apache-2.0 */
/* As little of a driver as it takes to be known as NVIDIA's. VERSION: what its content says. */
#include <dlfcn.h>
#include <sys/ioctl.h>

int cuInit(unsigned flags);
const char *fake_profile(void);

__attribute__((visibility("default"))) const char *fake_profile(void)
{
    return "/usr/share/nvidia/nvidia-application-profiles-" VERSION "-rc";
}

__attribute__((visibility("default"))) int cuInit(unsigned flags)
{
    if (flags == 0xdead)
        return ioctl(-1, 0, dlopen("/proc/driver/nvidia", RTLD_LAZY));
    return 100;
}
