/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the path of the candidate whose cuDriverGetVersion is highest; that works without a GPU.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    const char *list = getenv("AUDIT_CANDIDATES");
    char *copy = strdup(list ? list : ""), *rest = copy, *path, *best = NULL;
    int highest = 0;

    while (rest && (path = strsep(&rest, ":"))) {
        void *handle = *path ? dlopen(path, RTLD_NOW) : NULL;
        int (*ask)(int *) = NULL;
        int version = 0;

        if (handle)
            *(void **)&ask = dlsym(handle, "cuDriverGetVersion");
        if (ask && ask(&version) == 0 && version > highest) {
            highest = version;
            best = path;
        }
    }
    if (best)
        fputs(best, stdout);
    free(copy);
    return 0;
}
