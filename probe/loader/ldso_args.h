/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the arguments of ld.so if it was started as `ld.so [OPTIONS] PROGRAM`. */
#ifndef CUA_LDSO_ARGS_H
#define CUA_LDSO_ARGS_H

#include <stddef.h>

/* The value of --library-path, which replaces LD_LIBRARY_PATH. `words`: the command line of ld.so,
 * `size` bytes of arguments, each with its NUL. NULL if the option is missing. Points into
 * `words`. */
const char *cua_ldso_args_path(const char *words, size_t size);

/* The same for the process that asks; NULL also if the kernel started its program itself. */
const char *cua_ldso_args_own(void);

/* The program that ld.so was given, as written there; NULL if the kernel started the program
 * itself. */
const char *cua_ldso_args_program(void);

#endif
