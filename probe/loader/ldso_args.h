/* SPDX-License-Identifier: Apache-2.0 */
/* What ld.so was told on its command line, where somebody started it with a program to load. */
#ifndef CUA_LDSO_ARGS_H
#define CUA_LDSO_ARGS_H

#include <stddef.h>

/* The value of --library-path, which stands in for LD_LIBRARY_PATH, in a command line of ld.so's:
 * `size` bytes of words, each with its NUL. NULL where there is none. Points into `words`. */
const char *cua_ldso_args_path(const char *words, size_t size);

/* The same of this process; NULL where the kernel started ld.so for the program. Lives as long as
 * the process. */
const char *cua_ldso_args_own(void);

#endif
