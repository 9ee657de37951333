/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The constructors of a program that starts at start_ARCH.S. glibc before 2.34 leaves them to the
 * program (its crt1.o carried the code); later ones do too when they are given a function for it.
 * Destructors are ld.so's business in all of them.
 */
#include <stddef.h>

#pragma GCC visibility push(hidden)

extern void (*const __init_array_start[])(int, char **, char **);
extern void (*const __init_array_end[])(int, char **, char **);

void cua_start_constructors(int argc, char **argv, char **envp);

void cua_start_constructors(int argc, char **argv, char **envp)
{
    for (size_t i = 0; i < (size_t)(__init_array_end - __init_array_start); i++)
        __init_array_start[i](argc, argv, envp);
}

/* From crtbegin.o otherwise; atexit() names the program by its address. */
void *__dso_handle = NULL;

#pragma GCC visibility pop
