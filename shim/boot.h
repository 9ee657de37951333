/* SPDX-License-Identifier: Apache-2.0 */
/* The process as the kernel set it up, and the second exec. */
#ifndef CUA_BOOT_H
#define CUA_BOOT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

struct cua_boot {
    char **argv;
    char **env;
    size_t entries; /* of env */
    ElfW(auxv_t) * auxv;
    char **preload; /* the entry of env that ld.so went by; NULL: none */
    const char *library_path;
    bool sysroot;
    bool secure;
    bool explicit_loader; /* the kernel started ld.so itself */
    const char *file;     /* AT_EXECFN; NULL */
};

/* Reads it off the stack. `env` must be the constructor's third argument at start-up. */
void cua_boot_read(struct cua_boot *boot, char **argv, char **env);

/* In the second run: takes away all that the first one added. Returns true if this is one. */
bool cua_second_run(struct cua_boot *boot);

/* Executes the program again with `umd` preloaded. Returns only if that is not possible: why, in a
 * sentence. */
const char *cua_exec_again(struct cua_boot *boot, const char *umd);

#endif
