/* SPDX-License-Identifier: Apache-2.0 */
/* ld.so searches on behalf of the caller: a plugin's RUNPATH finds what the program's does not. */
#include "behaviour.h"

int main(int argc, char **argv)
{
    void *plugin = open_and_tell(in_folder(argv, "libplugin.so"), RTLD_NOW);

    (void)argc;
    printf("the plugin's sibling: %d\n", call(plugin, "sibling"));
    open_and_tell("libleaf-nowhere.so", RTLD_NOW);
    return 0;
}
