/* SPDX-License-Identifier: Apache-2.0 */
/* Linked with the wrong libcuda; loads the shim into a namespace of its own and calls it there. */
#include "behaviour.h"

int who(void);

int main(int argc, char **argv)
{
    void *shim = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW), *handle = NULL;
    void *(*open_there)(const char *, int) = NULL;

    if (shim)
        open_there = (void *(*)(const char *, int))dlsym(shim, "dlopen");
    if (open_there)
        handle = open_there(argv[2], RTLD_NOW);
    printf("who %d, shim %s, arguments %d\n", who(), shim ? "opened" : "failed", argc);
    printf("called there: %s\n", handle ? "opened" : "failed");
    printf("called here: %s\n", dlopen(argv[2], RTLD_NOW) ? "opened" : "failed");
    return 0;
}
