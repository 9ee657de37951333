/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the arguments of ld.so if it was started as `ld.so [OPTIONS] PROGRAM`. */
#ifndef CUA_LDSO_ARGS_H
#define CUA_LDSO_ARGS_H

#include <stddef.h>

/* Returns the value of --library-path, which replaces LD_LIBRARY_PATH; NULL if the option is
 * missing. `words`: the command line of ld.so, `size` bytes of arguments, each with its NUL. The
 * result points into `words`. */
const char *cua_ldso_args_path(const char *words, size_t size);

/* The same for the process that asks (machine/asker.h); also NULL if its program was not started
 * through ld.so. */
const char *cua_ldso_args_own(void);

/* The name of the program that asks, as it was passed to ld.so; NULL if the program was not started
 * through ld.so. */
const char *cua_ldso_args_program(void);

#endif
