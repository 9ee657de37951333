/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unloaded FOLDER: opens and closes two libraries, makes a namespace, which takes ld.so's number of
 * unloaded objects back to what it was, and opens a third library. Prints what could be opened.
 */
#include <stdbool.h>

#include "behaviour.h"

static void *open_number(const char *folder, int number)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%d.so", folder, number);
    return dlopen(path, RTLD_NOW);
}

int main(int argc, char **argv)
{
    void *first, *second;
    bool apart;

    if (argc < 2)
        return 99;
    first = open_number(argv[1], 0);
    second = open_number(argv[1], 1);
    if (!first || !second || dlclose(second) || dlclose(first))
        return 98;
    apart = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW);
    printf("apart %d, third %d\n", apart, open_number(argv[1], 2) != NULL);
    return 0;
}
