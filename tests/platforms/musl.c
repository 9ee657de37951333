/* SPDX-License-Identifier: Apache-2.0 */
/* For musl.sh: what a program sees of the loader, and which files are mapped. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static void show(const char *what, void *handle)
{
    const char *error = dlerror();

    printf("%s: %s: %s\n", what, handle ? "opened" : "not opened", error ? error : "no error");
}

int main(int argc, char **argv)
{
    char line[4096];
    FILE *maps;

    errno = 0;
    show("nothing", dlopen("libnot-there.so", RTLD_NOW));
    show("itself", dlopen(NULL, RTLD_NOW));
    show("libcuda", dlopen("libcuda.so.1", RTLD_NOW));
    if (argc > 1)
        show("library", dlopen(argv[1], RTLD_NOW));
    maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof(line), maps))
        if (strchr(line, '/') && !strstr(line, "/proc/"))
            printf("mapped: %s", strchr(line, '/'));
    return 0;
}
