/* SPDX-License-Identifier: Apache-2.0 */
/* later [FIRST]: opens FIRST, says "ready", waits for a line, and only then opens libcuda and
 * initialises it. */
#include "report.h"
#include "floor.h"

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char line[16];
    int (*init)(unsigned);

    if (argc > 1 && !dlopen(argv[1], RTLD_NOW))
        return 3;
    puts("ready");
    fflush(stdout);
    if (!fgets(line, sizeof(line), stdin))
        return 2;
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    if (!handle)
        return cua_report_nothing("later", dlerror());
    *(void **)&init = dlsym(handle, "cuInit");
    return cua_report("later", "cuInit", init(0), *(void **)&init);
}
