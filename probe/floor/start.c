/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the constructors of a program that starts at start_ARCH.S. glibc before 2.34 leaves this to
 * the program (its crt1.o contained the code); later versions also call a function of the program,
 * if start_ARCH.S passes one. ld.so runs the destructors in all versions. */
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

/* Usually crtbegin.o defines this variable. atexit() passes its address to identify the program. */
void *__dso_handle = NULL;

#pragma GCC visibility pop
