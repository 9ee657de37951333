/* SPDX-License-Identifier: Apache-2.0 */
/* again COUNT NAME: opens a library, and then as often again. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Not the argument itself: libc compares strings at the end of a page byte by byte, and where the
 * stack's end lies hangs on the environment. */
static char name[4096] __attribute__((aligned(4096)));

int main(int argc, char **argv)
{
    long count;

    if (argc != 3 || strlen(argv[2]) >= sizeof(name))
        return 2;
    strcpy(name, argv[2]);
    if (!dlopen(name, RTLD_LAZY))
        return 1;
    for (count = atol(argv[1]); count; count--)
        if (!dlopen(name, RTLD_LAZY))
            return 1;
    return 0;
}
