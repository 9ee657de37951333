/* SPDX-License-Identifier: Apache-2.0 */
/* RTLD_NOLOAD only asks; nothing may appear that the program did not load. */
#include "behaviour.h"

int main(int argc, char **argv)
{
    char *leaf = in_folder(argv, "libleaf.so");

    (void)argc;
    open_and_tell("libcuda.so.1", RTLD_NOLOAD | RTLD_NOW);
    open_and_tell("libleaf.so", RTLD_NOLOAD | RTLD_NOW);
    open_and_tell(leaf, RTLD_NOLOAD | RTLD_NOW);
    open_and_tell(leaf, RTLD_NOW);
    open_and_tell(leaf, RTLD_NOLOAD | RTLD_NOW);
    open_and_tell("libleaf.so", RTLD_NOLOAD | RTLD_NOW | RTLD_GLOBAL);
    printf("leaf is global now: %s\n", dlsym(RTLD_DEFAULT, "leaf") ? "yes" : "no");
    open_and_tell("libcuda.so.1", RTLD_NOLOAD | RTLD_NOW);
    return 0;
}
