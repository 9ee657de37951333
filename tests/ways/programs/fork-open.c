/* SPDX-License-Identifier: Apache-2.0 */
/* fork-open fork|vfork|twice: libcuda is opened in a child; with "vfork" the parent, whose memory
 * it is, goes on with it; with "twice" both open it. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report.h"

static void *handle;

static int report(void)
{
    int (*init)(unsigned);

    if (!handle)
        handle = dlopen("libcuda.so.1", RTLD_NOW);
    if (!handle)
        return cua_report_nothing("fork-open", dlerror());
    *(void **)&init = dlsym(handle, "cuInit");
    if (!init)
        return cua_report_nothing("fork-open", dlerror());
    return cua_report("fork-open", "cuInit", init(0), *(void **)&init);
}

static int in_vfork(void)
{
    pid_t child = vfork();

    if (!child) {
        handle = dlopen("libcuda.so.1", RTLD_NOW);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return report();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "fork";
    int status = 0;
    pid_t child;

    if (!strcmp(how, "vfork"))
        return in_vfork();
    child = fork();
    if (!child)
        return report();
    waitpid(child, &status, 0);
    if (!strcmp(how, "twice"))
        return report();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
