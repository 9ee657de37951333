/* SPDX-License-Identifier: Apache-2.0 */
/* dlopen(NULL), dlopen(""), flags that make no sense. */
#include "behaviour.h"

int main(int argc, char **argv)
{
    void *self = open_and_tell(NULL, RTLD_NOW);

    (void)argc;
    printf("NULL and \"\" are the same: %d\n", self == open_and_tell("", RTLD_NOW));
    printf("main is found: %d\n", dlsym(self, "main") != NULL);
    open_and_tell(NULL, 0);
    open_and_tell("", 0);
    open_and_tell(in_folder(argv, "libleaf.so"), 0);
    open_and_tell(in_folder(argv, "libleaf.so"), 0x7fffffff);
    open_and_tell("libcuda.so.1", 0);
    open_and_tell("/", RTLD_NOW);
    open_and_tell("//libleaf.so", RTLD_NOW);
    open_and_tell("$NOTHING/libleaf.so", RTLD_NOW);
    return 0;
}
