/* SPDX-License-Identifier: Apache-2.0 */
/* What the entry point of NVIDIA's NGC images runs in front of the bundled driver: can it
 * initialise? One line, which becomes the banner. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

int main(void)
{
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = NULL;
    int code;

    if (handle)
        *(void **)&init = dlsym(handle, "cuInit");
    if (!init) {
        puts("CUDA Driver UNAVAILABLE (not found)");
        return 1;
    }
    code = init(0);
    if (code)
        printf("CUDA Driver UNAVAILABLE (cuInit(0) returned %d)\n", code);
    else
        puts("CUDA Driver OK");
    return code != 0;
}
