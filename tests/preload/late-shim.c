/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the shim, all of it bound at once, with an LD_LIBRARY_PATH that is taken back later, and
 * opens libraries by its dlopen. */
#include <sys/mman.h>

#include "behaviour.h"

int main(int argc, char **argv)
{
    char *variable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *shim, *(*open_by)(const char *, int);

    (void)argc;
    unsetenv("LD_LIBRARY_PATH");
    strcpy(variable, "LD_LIBRARY_PATH=/nonexistent");
    putenv(variable);
    shim = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    open_by = shim ? (void *(*)(const char *, int))dlsym(shim, "dlopen") : NULL;
    if (!open_by)
        return 99;
    printf("first %d\n", !!open_by(argv[2], RTLD_NOW));
    unsetenv("LD_LIBRARY_PATH");
    munmap(variable, 4096);
    printf("second %d\n", call(open_by("libcuda.so.1", RTLD_NOW), "who"));
    return 0;
}
