/* SPDX-License-Identifier: Apache-2.0 */
/* $ORIGIN in a name is the caller's folder. */
#include "behaviour.h"

int main(void)
{
    void *leaf = open_and_tell("$ORIGIN/libleaf.so", RTLD_NOW);

    printf("leaf: %d\n", call(leaf, "leaf"));
    open_and_tell("$ORIGIN/none/libleaf.so", RTLD_NOW);
    open_and_tell("${ORIGIN}/libleaf.so", RTLD_NOW);
    return 0;
}
