/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin loaded with RTLD_DEEPBIND, and what it opens itself. */
#include "behaviour.h"

int main(int argc, char **argv)
{
    void *plugin = open_and_tell(in_folder(argv, "libplugin.so"), RTLD_NOW | RTLD_DEEPBIND);

    (void)argc;
    printf("sibling: %d\n", call(plugin, "sibling"));
    return 0;
}
