/* SPDX-License-Identifier: Apache-2.0 */
/* init-as REAL EFFECTIVE: becomes these users, then opens libcuda and initialises it. */
#include "report.h"
#include "floor.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int (*init)(unsigned) = NULL;
    void *handle;

    if (argc < 3 || setresuid((uid_t)atoi(argv[1]), (uid_t)atoi(argv[2]), 0) != 0) {
        perror("init-as: setresuid");
        return 2;
    }
    handle = dlopen("libcuda.so.1", RTLD_NOW);
    if (handle)
        *(void **)&init = dlsym(handle, "cuInit");
    if (!init)
        return cua_report_nothing("init-as", dlerror());
    return cua_report("init-as", "cuInit", init(0), *(void **)&init);
}
