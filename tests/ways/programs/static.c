/* SPDX-License-Identifier: Apache-2.0 */
/* Statically linked; dlopen works in it anyway, on the glibc that it was linked with. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = NULL;
    const char *file = "-";
    Dl_info info;

    if (!handle) {
        printf("program=static error=%s\n", dlerror());
        return 1;
    }
    *(void **)&init = dlsym(handle, "cuInit");
    if (init && dladdr(*(void **)&init, &info))
        file = info.dli_fname;
    printf("program=static cuInit=%d file=%s libcudas=1\n", init ? init(0) : -1, file);
    return 0;
}
