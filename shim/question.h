/* SPDX-License-Identifier: Apache-2.0 */
/* The question to the answerer (a program beside the shim, ask.h): the request, and everything
 * about the process that cannot be read from outside. The keeper (keeper.h) writes it. */
#ifndef CUA_QUESTION_H
#define CUA_QUESTION_H

#include <stdbool.h>

#include "keeper.h"

struct cua_question {
    enum cua_ask ask;
    int flags; /* as given to dlopen */
    /* The name or path that was passed to dlopen. For CUA_ASK_LINKED: the l_name of the mapped
     * libcuda. For CUA_ASK_UNDONE: the path of the libcuda that was to be preloaded. For
     * CUA_ASK_ACTIVE: "". */
    const char *name;
    const char *why;    /* for CUA_ASK_UNDONE: the reason; else NULL */
    const void *caller; /* the address that called dlopen; NULL: asked at program start */
    char *const *env;   /* NULL: the process's environ */
    /* Texts of the last answer, which the answerer gets back with this question. Each ends with a
     * NUL; an empty text ends the list. NULL: none. */
    const char *kept;
    /* Filled in by cua_question_prepare in the calling thread, because the keeper must not call
     * libc. glibc: its version; started: AT_EXECFN; both NULL if not known. */
    const char *glibc, *started;
    bool by_loader; /* the program was started as an argument of ld.so */
    int pid;
};

/* Fills in glibc, started, by_loader, pid and, if env is NULL, env. */
void cua_question_prepare(struct cua_question *question);

/* Called in the keeper: writes the question that errand->data points to. Takes no lock. Memory that
 * another thread may unmap is read by system calls (peek.h). */
void cua_question_write(struct cua_errand *errand);

/* Called in the keeper after the answer. False if the number of mapped libcudas has changed since
 * the question, or if the list of objects changes too often to be read. */
bool cua_question_stands(struct cua_errand *errand);

#endif
