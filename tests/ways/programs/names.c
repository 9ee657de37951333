/* SPDX-License-Identifier: Apache-2.0 */
/* names NAME...: opens each, in order, and says which file it got. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int i, failed = 0;

    for (i = 1; i < argc; i++) {
        void *handle = dlopen(argv[i], RTLD_LAZY);
        struct link_map *map;
        if (handle && !dlinfo(handle, RTLD_DI_LINKMAP, &map)) {
            printf("%s %s\n", argv[i], map->l_name);
        } else {
            printf("%s - %s\n", argv[i], dlerror());
            failed = 1;
        }
    }
    return failed;
}
