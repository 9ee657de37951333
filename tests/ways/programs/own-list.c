/* SPDX-License-Identifier: Apache-2.0 */
/* Has a dl_iterate_phdr that is its own business; opens libcuda and initialises it. */
#include "report.h"
#include "floor.h"

#include <dlfcn.h>
#include <stdlib.h>

int dl_iterate_phdr(void *visit, void *arg);

int dl_iterate_phdr(void *visit, void *arg)
{
    (void)visit;
    (void)arg;
    abort();
}

int main(void)
{
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = NULL;

    if (handle)
        *(void **)&init = dlsym(handle, "cuInit");
    if (!init)
        return cua_report_nothing("own-list", dlerror());
    return cua_report("own-list", "cuInit", init(0), *(void **)&init);
}
