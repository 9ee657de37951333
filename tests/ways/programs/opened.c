/* SPDX-License-Identifier: Apache-2.0 */
/* opened lazy|now LIBRARY...: opens the libraries one after the other, and asks each. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int flags = argc > 1 && strcmp(argv[1], "now") == 0 ? RTLD_NOW : RTLD_LAZY;

    for (int i = 2; i < argc; i++) {
        void *handle = dlopen(argv[i], flags);
        int (*init)(const void **);
        const void *address;
        *(void **)&init = handle ? dlsym(handle, "plugin_init") : NULL;
        if (init)
            printf("cuInit=%d\n", init(&address));
        else
            printf("%s\n", dlerror());
    }
    return 0;
}
