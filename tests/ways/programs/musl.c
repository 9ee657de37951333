/* SPDX-License-Identifier: Apache-2.0 */
/* For another libc: NVIDIA's drivers do not load there, a fake one does. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = handle ? (int (*)(unsigned))dlsym(handle, "cuInit") : NULL;
    Dl_info info;

    if (!init || !dladdr((void *)init, &info)) {
        printf("program=musl error=%s\n", dlerror());
        return 1;
    }
    printf("program=musl cuInit=%d file=%s libcudas=1\n", init(0), info.dli_fname);
    return 0;
}
