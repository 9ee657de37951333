/* SPDX-License-Identifier: Apache-2.0 */
/* Opens names of all lengths and alignments, each at the end of an allocation. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    size_t before, length;
    char *name;

    for (before = 0; before < 16; before++) {
        for (length = 1; length < 20; length++) {
            name = malloc(before + length + 1);
            if (!name)
                return 99;
            memset(name, 'x', before + length);
            name[before + length] = 0;
            if (dlopen(name + before, RTLD_NOW))
                return 1;
            free(name);
        }
    }
    return 0;
}
