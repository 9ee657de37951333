/* SPDX-License-Identifier: Apache-2.0 */
/* state [LIBRARY...]: linked with -lcuda; says what libc knows of the process, and has LIBRARY's
 * constructor say what it was given. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "floor.h"

int cuInit(unsigned flags);

int main(int argc, char **argv, char **envp)
{
    char **entry;
    int i;

    printf("cuInit %d\n", cuInit(0));
    printf("argc %d argv0 %s\n", argc, argv[0]);
    printf("name %s short %s\n", program_invocation_name, program_invocation_short_name);
    printf("environ %s third argument %s\n", environ ? "yes" : "no", envp == environ ? "it" : "no");
    for (entry = environ; entry && *entry; entry++)
        if (strncmp(*entry, "LD_PRELOAD=", 11))
            printf("entry %s\n", *entry);
    printf("KEY %s\n", getenv("KEY"));
    fflush(stdout);
    for (i = 1; i < argc; i++)
        if (!dlopen(argv[i], RTLD_NOW))
            puts(dlerror());
    return 0;
}
