/* SPDX-License-Identifier: Apache-2.0 */
/* names WORD...: opens each, in order, and says which file it got; cd:FOLDER: changes there. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int i, failed = 0;

    for (i = 1; i < argc; i++) {
        struct link_map *map;
        void *handle;

        if (!strncmp(argv[i], "cd:", 3)) {
            if (chdir(argv[i] + 3))
                return 99;
            continue;
        }
        handle = dlopen(argv[i], RTLD_LAZY);
        if (handle && !dlinfo(handle, RTLD_DI_LINKMAP, &map)) {
            printf("%s %s\n", argv[i], map->l_name);
        } else {
            printf("%s - %s\n", argv[i], dlerror());
            failed = 1;
        }
    }
    return failed;
}
