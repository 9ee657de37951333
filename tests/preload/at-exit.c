/* SPDX-License-Identifier: Apache-2.0 */
/* dlopen from an exit handler and from a destructor. */
#include "behaviour.h"

static char *leaf;

static void last(void)
{
    open_and_tell(leaf, RTLD_NOW);
    open_and_tell("libcuda-none.so.1", RTLD_NOW);
}

__attribute__((destructor)) static void end(void)
{
    open_and_tell(leaf, RTLD_NOW | RTLD_NOLOAD);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    (void)argc;
    leaf = in_folder(argv, "libleaf.so");
    atexit(last);
    return 5;
}
