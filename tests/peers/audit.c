/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An LD_AUDIT module that answers the search for libcuda.so.1 with the candidate that has the
 * highest CUDA version, as CUDA Auto-Compat does: a helper asks each of them in every process.
 * AUDIT_CANDIDATES: their paths, split by colons; AUDIT_HELPER: the program highest.
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned la_version(unsigned version);
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag);

static char chosen[4096];

static void choose(const char *helper)
{
    int pipes[2], status;
    pid_t child;
    ssize_t n;

    if (pipe(pipes))
        return;
    child = fork();
    if (!child) {
        dup2(pipes[1], 1);
        unsetenv("LD_AUDIT");
        execl(helper, "highest", (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    n = read(pipes[0], chosen, sizeof chosen - 1);
    chosen[n > 0 ? n : 0] = 0;
    close(pipes[0]);
    waitpid(child, &status, 0);
}

__attribute__((visibility("default"))) unsigned la_version(unsigned version)
{
    const char *helper = getenv("AUDIT_HELPER");

    if (helper)
        choose(helper);
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

__attribute__((visibility("default"))) char *la_objsearch(const char *name, uintptr_t *cookie,
                                                          unsigned flag)
{
    (void)cookie;
    (void)flag;
    return chosen[0] && !strcmp(name, "libcuda.so.1") ? chosen : (char *)name;
}
