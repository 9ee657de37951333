/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As Julia's CUDA_Driver picks when the package is loaded.
 *
 *   pick-driver [newer] BUNDLED: a child tries the bundled driver, by its path; it is used if it
 *   initialises, and with "newer" only if its CUDA version is above the system's.
 *   pick-driver try FILE: that child.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fixtures/programs/report.h"

static int ask(const char *file, int *code)
{
    void *handle = dlopen(file, RTLD_NOW);
    int (*init)(unsigned) = NULL, (*version)(int *) = NULL;
    int number = 0;

    if (handle) {
        *(void **)&init = dlsym(handle, "cuInit");
        *(void **)&version = dlsym(handle, "cuDriverGetVersion");
    }
    *code = init ? init(0) : -1;
    if (version)
        version(&number);
    return number;
}

/* The version, or 0 if it does not initialise. */
static int ask_in_child(const char *file)
{
    int pipes[2], said[2] = {0, -1}, status;
    pid_t child;

    if (pipe(pipes))
        return 0;
    child = fork();
    if (!child) {
        dup2(pipes[1], 1);
        execl("/proc/self/exe", "pick-driver", "try", file, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    if (read(pipes[0], said, sizeof said) != (ssize_t)sizeof said)
        said[1] = -1;
    close(pipes[0]);
    waitpid(child, &status, 0);
    return said[1] ? 0 : said[0];
}

int main(int argc, char **argv)
{
    int newer = argc > 1 && !strcmp(argv[1], "newer"), said[2], bundled, mapped;
    const char *file = argc > 1 + newer ? argv[1 + newer] : "", *pick = "libcuda.so.1";
    int (*init)(unsigned) = NULL;
    void *handle;

    if (argc > 2 && !strcmp(argv[1], "try")) {
        said[0] = ask(argv[2], &said[1]);
        return write(1, said, sizeof said) != (ssize_t)sizeof said;
    }
    mapped = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) != NULL;
    bundled = mapped ? 0 : ask_in_child(file);
    if (bundled && (!newer || bundled > ask_in_child("libcuda.so.1")))
        pick = file;
    cua_report_more("says", pick == file ? "forward-compatible" : "system");
    handle = dlopen(pick, RTLD_NOW);
    if (handle)
        *(void **)&init = dlsym(handle, "cuInit");
    if (!init)
        return cua_report_nothing("pick-driver", "no cuInit");
    return cua_report("pick-driver", "cuInit", init(0), *(void **)&init);
}
