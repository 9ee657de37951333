/* SPDX-License-Identifier: Apache-2.0 */
/* late-shim SHIM LIBRARY [FOLDER]: opens the shim, all of it bound at once, with an LD_LIBRARY_PATH
 * that is taken back later, and opens libraries by its dlopen, the second one in that folder. */
#include <sys/mman.h>
#include <unistd.h>

#include "behaviour.h"

int main(int argc, char **argv)
{
    char *variable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *shim, *(*open_by)(const char *, int);

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
    if (argc > 3 && chdir(argv[3]))
        return 98;
    printf("second %d\n", call(open_by("libcuda.so.1", RTLD_NOW), "who"));
    return 0;
}
