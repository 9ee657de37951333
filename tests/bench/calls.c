/* SPDX-License-Identifier: Apache-2.0 */
/* calls COUNT NAME: opens a libcuda and calls it so often; prints where its functions lie. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {"cuInit", "cuDriverGetVersion", "cuDeviceGetCount",
                                    "cuGetProcAddress"};

int main(int argc, char **argv)
{
    int (*version)(int *) = NULL;
    void *handle, *address;
    Dl_info found;
    int answer;
    size_t i;
    long n;

    handle = argc == 3 ? dlopen(argv[2], RTLD_NOW) : NULL;
    if (!handle)
        return 1;
    for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
        address = dlsym(handle, names[i]);
        if (address && dladdr(address, &found))
            printf("%s %s+%#lx\n", names[i], found.dli_fname,
                   (unsigned long)((char *)address - (char *)found.dli_fbase));
    }
    *(void **)&version = dlsym(handle, "cuDriverGetVersion");
    for (n = atol(argv[1]); version && n; n--)
        version(&answer);
    return 0;
}
