/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads real CUDA runtimes and says what the engine makes of them, and what they say themselves:
 *   toolkit-oracle mapped|needed|quick LIBRARY...
 * `needed`: they are not mapped, but about to be; `quick`: without a look at what a wheel says.
 * Prints "KIND CUDA HIGHEST", then what cudaRuntimeGetVersion of each answers.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "facts/toolkit.h"

static int ask(const char *library)
{
    int (*version)(int *) = NULL;
    int answer = 0;
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        return -1;
    }
    *(void **)(void *)&version = dlsym(handle, "cudaRuntimeGetVersion");
    return version && version(&answer) == 0 ? answer : -1;
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"none", "hint", "least", "exact"};
    struct cua_subject subject = {.sysroot = "/nowhere"};
    struct cua_facts facts = {0};
    int answer[8] = {0};

    if (argc < 3 || argc > 10)
        return 2;
    bool needed = strcmp(argv[1], "needed") == 0;
    for (int i = 2; i < argc && !needed; i++)
        answer[i - 2] = ask(argv[i]);
    cua_toolkit_gather(&facts, &subject, needed ? (const char *const *)argv + 2 : NULL);
    for (int i = 2; i < argc && needed; i++)
        answer[i - 2] = ask(argv[i]);
    printf("%s %u", kinds[facts.toolkit.kind], facts.toolkit.cuda);
    for (int i = 2; i < argc; i++)
        printf(" %d", answer[i - 2]);
    printf("\n");
    return 0;
}
