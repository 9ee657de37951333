/* SPDX-License-Identifier: Apache-2.0 */
/* Runs another program without the process noticing: no child that wait or SIGCHLD could see, no
 * descriptor, no signal, no lock of libc.
 *
 * execve(2) sets a child's exit signal back to SIGCHLD. So the child of this process, the keeper,
 * never executes anything: it shares this memory and has no exit signal and its own descriptor
 * table. It starts the other program as its child, exchanges question and answer with it, kills it
 * if necessary, reaps it and leaves the answer in memory. The calling thread waits meanwhile, as in
 * vfork. */
#ifndef CUA_KEEPER_H
#define CUA_KEEPER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuarbiter/frame.h"

#define CUA_KEEPER_TEXT 16384

/* How many errands are running now, and how many were ever begun. If the program forks during an
 * errand, cua_errands stays too high in the child; the only effect is that the child skips a check
 * (has_quiet_child in confined.c). */
extern _Atomic(int) cua_errands, cua_errands_begun;

/* One errand: a question, the program that answers it, and the answer. It has its own shared
 * mapping, which also holds the stacks. */
struct cua_errand {
    /* The program to execute; it must belong to root, to this user, or to the owner of `beside`. */
    const char *program;
    const char *beside; /* a file in the program's folder; NULL: none */
    /* Called in the keeper: writes the question by cua_put. */
    void (*question)(struct cua_errand *errand);
    /* Called in the keeper after the answer: false if the process has changed meanwhile, and the
     * answer does not count. NULL: the answer always counts. */
    bool (*stands)(struct cua_errand *errand);
    const void *data; /* argument for these two functions */
    uint64_t objects; /* set by `question`: a hash of the list of objects that it has sent */
    size_t libcudas;  /* set by `question`: the number of libcudas in that list */
    bool bind;        /* the program must not gain privileges */
    bool by_root;     /* the program must keep the privileges that root has */
    bool lines;       /* whether standard error takes log lines (stderr.h); part of the question */

    /* The result: 0; -errno of the step that failed; -ETIMEDOUT; or -EINTR: given up, because a
     * signal is pending that the program must handle now (is_interrupted in keeper.c). */
    volatile long error;
    volatile int status;    /* the program's wait status; -1: the keeper ended without it */
    volatile size_t length; /* length of `answer` */
    char answer[CUA_ANSWER_MOST];

    /* Used by the keeper only. `reader` and `writer` are its own ends of the two pipes, `heard` and
     * `spoken` the program's; `helper` is the program's pid; `moved` is when it last used CPU time.
     */
    int null, reader, writer, heard, spoken, caller; /* caller: the thread's /proc/TID/status */
    long helper, started, moved, limit;
    uint64_t used, before; /* before: the calling thread's signal mask */
    uint64_t alarm[4];     /* the program's action for SIGALRM */
    size_t put;
    char caller_path[40];
    /* Bytes that cua_put has not written yet; scratch space while there are none. */
    char text[CUA_KEEPER_TEXT];
};

/* Returns NULL if there is no memory. */
struct cua_errand *cua_errand_new(void);
void cua_errand_free(struct cua_errand *errand);

/* Runs the errand. The answer is valid if `error` and `status` are 0. */
void cua_errand_run(struct cua_errand *errand);

/* For writing the question: cua_put appends bytes, the other two a record of frame.h. After an
 * error they do nothing. */
void cua_put(struct cua_errand *errand, const char *bytes, size_t size);
void cua_put_text(struct cua_errand *errand, char kind, const char *text);
void cua_put_number(struct cua_errand *errand, char kind, uint64_t number);

#endif
