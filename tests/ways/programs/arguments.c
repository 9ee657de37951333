/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose constructor says what it was given, as glibc gives it to all of them. */
#include <stdio.h>

__attribute__((constructor)) static void say(int argc, char **argv, char **env)
{
    printf("constructor argc %d argv0 %s env %s\n", argc, argv ? argv[0] : "-", env ? "yes" : "no");
    fflush(stdout);
}
