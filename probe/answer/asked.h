/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the question that the shim (the preloaded library) has sent as records
 * (cuarbiter/frame.h). The program that the shim runs in is not trusted. So the parser reads
 * nothing beyond the question's last byte, and refuses a question that lacks a necessary record.
 * The answerer has only that program's rights, so a false question can do no more than the program
 * itself could. */
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
    size_t caller;            /* index in `object` of the object that calls dlopen */
    int pid;                  /* the program's process ID, always positive */
    const char *library_path; /* LD_LIBRARY_PATH when the program started; NULL: not set */
    /* Of the program; "": not sent. `glibc`: the version of its glibc. `exe`: the target of
     * /proc/self/exe. `started`: AT_EXECFN. */
    const char *glibc, *exe, *started;
    /* The command line of ld.so, each argument with its NUL, if the program was started as `ld.so
     * PROGRAM`. NULL: the kernel started the program itself. */
    const char *words;
    size_t words_size;
    bool has_stderr, env_cut;
    char **env;                       /* the entries of the program's environment, then NULL */
    char **kept;                      /* the texts of CUA_SAYS_KEPT records, then NULL */
    struct cua_mapped_object *object; /* mapped objects, at least one; the program is first */
    size_t objects;
    char *bytes; /* the memory that all texts above point into */
};

/* Reads the records in `bytes`, which it changes and takes over. Returns 0; -EPROTO if they are not
 * a complete and valid question with the frame number CUA_FRAME; or -ENOMEM. After 0 the caller
 * frees the result by cua_asked_free; after an error nothing is left to free. */
int cua_asked_read(struct cua_asked *asked, char *bytes, size_t size);
void cua_asked_free(struct cua_asked *asked);

#endif
