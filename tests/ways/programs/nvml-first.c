/* SPDX-License-Identifier: Apache-2.0 */
/* nvml-first [DEVICES]: looks at the GPUs by NVML, chooses some, and then opens libcuda, as
 * programs that pick a free GPU do. */
#include <dlfcn.h>
#include <stdlib.h>

#include "report.h"

int main(int argc, char **argv)
{
    void *handle;
    int (*init)(unsigned);

    if (!dlopen("libnvidia-ml.so.1", RTLD_NOW))
        return cua_report_nothing("nvml-first", dlerror());
    if (argc > 1)
        setenv("CUDA_VISIBLE_DEVICES", argv[1], 1);
    handle = dlopen("libcuda.so.1", RTLD_NOW);
    *(void **)&init = handle ? dlsym(handle, "cuInit") : NULL;
    if (!init)
        return cua_report_nothing("nvml-first", dlerror());
    return cua_report("nvml-first", "cuInit", init(0), *(void **)&init);
}
