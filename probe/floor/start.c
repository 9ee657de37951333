/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the constructors of a program that starts at start_ARCH.S, which passes
 * cua_start_constructors to __libc_start_main. glibc before 2.34 does not run the program's
 * constructors itself: it calls the function that is passed. Later versions call that function too;
 * only if there is none, they run the constructors themselves. ld.so runs the destructors in all
 * versions. */
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

/* crtbegin.o usually defines this variable, but the command is linked without crtbegin.o. atexit()
 * passes the variable's value to identify the object that registers a function; NULL: the
 * program. */
void *__dso_handle = NULL;

#pragma GCC visibility pop
