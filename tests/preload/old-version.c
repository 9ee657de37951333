/* SPDX-License-Identifier: Apache-2.0 */
/* Old and new versions of dlopen are one function, the first in the order of search. */
#include "behaviour.h"

#if defined(__x86_64__)
__asm__(".symver old_dlopen,dlopen@GLIBC_2.2.5");
#else
__asm__(".symver old_dlopen,dlopen@GLIBC_2.17");
#endif

void *old_dlopen(const char *path, int flags);

int main(int argc, char **argv)
{
    void *leaf = old_dlopen(in_folder(argv, "libleaf.so"), RTLD_NOW);

    (void)argc;
    printf("leaf: %d\n", call(leaf, "leaf"));
    printf("one function: %d\n", dlsym(RTLD_DEFAULT, "dlopen") == (void *)old_dlopen);
    return 0;
}
