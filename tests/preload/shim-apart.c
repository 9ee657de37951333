/* SPDX-License-Identifier: Apache-2.0 */
/* Linked with the wrong libcuda; loads the shim into a namespace of its own and calls it there.
 * The environment is the program's own by then: nothing lies behind it. */
#include <sys/mman.h>

#include "behaviour.h"

extern char **environ;

int who(void);

static void move_environment(void)
{
    size_t size = 1 << 16, used = 1;
    char *memory = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    while (environ[used - 1])
        used++;
    used *= sizeof(*environ);
    if (memory == MAP_FAILED || used > size || mprotect(memory + size, size, PROT_NONE))
        exit(99);
    environ = memcpy(memory + size - used, environ, used);
}

int main(int argc, char **argv)
{
    void *shim, *handle = NULL;
    void *(*open_there)(const char *, int) = NULL;

    move_environment();
    shim = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
    if (shim)
        open_there = (void *(*)(const char *, int))dlsym(shim, "dlopen");
    if (open_there)
        handle = open_there(argv[2], RTLD_NOW);
    printf("who %d, shim %s, arguments %d\n", who(), shim ? "opened" : "failed", argc);
    printf("called there: %s\n", handle ? "opened" : "failed");
    printf("called here: %s\n", dlopen(argv[2], RTLD_NOW) ? "opened" : "failed");
    return 0;
}
