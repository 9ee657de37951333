/* SPDX-License-Identifier: Apache-2.0 */
/* Linked with the program: its constructor opens libraries before main. */
#include "behaviour.h"

int early(void);

__attribute__((constructor)) static void begin(int argc, char **argv)
{
    if (argc < 2)
        return;
    open_and_tell(in_folder(argv, "libleaf.so"), RTLD_NOW);
    open_and_tell("libcuda-none.so.1", RTLD_NOW);
}

int early(void)
{
    return 1;
}
