/* SPDX-License-Identifier: Apache-2.0 */
/* The question to the answerer: the request, and everything about the process that cannot be read
 * from outside. */
#ifndef CUA_QUESTION_H
#define CUA_QUESTION_H

#include <stdbool.h>

#include "keeper.h"

struct cua_question {
    enum cua_ask ask;
    int flags;          /* as given to dlopen */
    const char *name;   /* as the program gave it; for LINKED: the l_name of the mapped libcuda */
    const char *why;    /* for UNDONE only */
    const void *caller; /* the address that called dlopen; NULL: asked at program start */
    char *const *env;   /* NULL: the process's environ */
    /* Texts that the answerer wants back, each with its NUL, then ""; NULL: none. */
    const char *kept;
    /* Filled in by cua_question_prepare in the calling thread, because the keeper must not call
     * libc: */
    const char *glibc, *started;
    bool by_loader; /* the program was started as an argument of ld.so */
    int pid;
};

/* Fills in glibc, started, by_loader, pid and, if it is NULL, env. */
void cua_question_prepare(struct cua_question *question);

/* Called in the keeper: writes the question that errand->data points to. Takes no lock. Memory that
 * another thread may unmap is read through the kernel (peek.h). */
void cua_question_write(struct cua_errand *errand);

/* Called in the keeper after the answer: false if a libcuda has been mapped or unmapped
 * meanwhile. */
bool cua_question_stands(struct cua_errand *errand);

#endif
