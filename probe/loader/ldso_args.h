/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of ld.so, when it was started as `ld.so [OPTIONS] PROGRAM`. */
#ifndef CUA_LDSO_ARGS_H
#define CUA_LDSO_ARGS_H

#include <stddef.h>

/* The value of --library-path, which replaces LD_LIBRARY_PATH, in a command line of ld.so: `size`
 * bytes of arguments, each with its NUL. NULL if there is none. Points into `words`. */
const char *cua_ldso_args_path(const char *words, size_t size);

/* The same for this process; NULL if the kernel started ld.so. Lives as long as the process. */
const char *cua_ldso_args_own(void);

#endif
