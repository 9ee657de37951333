/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the shim's question from its records (cuarbiter/frame.h). The program that sends them
 * cannot be trusted, so all records are bounded and checked, and they affect only the answer to
 * that program. */
#ifndef CUA_ASKED_H
#define CUA_ASKED_H

#include <stdbool.h>
#include <stddef.h>

#include "cuarbiter/frame.h"
#include "loader/mapped.h"

struct cua_asked {
    enum cua_ask ask;
    int flags;
    const char *name, *why, *home;
    size_t caller;                     /* index of the object that asked */
    int pid;                           /* the program's process, always positive */
    const char *library_path;          /* the program's LD_LIBRARY_PATH; NULL: not set */
    const char *glibc, *exe, *started; /* "": not given */
    /* The command line of ld.so; NULL: the program was not started as an argument of ld.so. */
    const char *words;
    size_t words_size;
    bool has_stderr, env_cut;
    char **env;                       /* ends with NULL */
    char **kept;                      /* ends with NULL */
    struct cua_mapped_object *object; /* at least one object; the first is the program */
    size_t objects;
    char *bytes; /* the memory that all texts point into */
};

/* Reads the records in `bytes`, which it changes and takes over. Returns 0; -EPROTO if they are not
 * a question of this frame; -ENOMEM. After 0 the caller frees the result by cua_asked_free; after
 * an error nothing is left to free. */
int cua_asked_read(struct cua_asked *asked, char *bytes, size_t size);
void cua_asked_free(struct cua_asked *asked);

#endif
