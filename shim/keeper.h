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

/* cua_errands: how many errands (see below) are running now. cua_errands_begun: how many were ever
 * begun. If the program forks during an errand, cua_errands stays too high in the child; the only
 * effect is that the child skips a check (has_quiet_child in confined.c). */
extern _Atomic(int) cua_errands, cua_errands_begun;

/* One errand: a question, the program that answers it, and the answer. It lies in a shared mapping
 * of its own, which also holds the stacks of the keeper and of the keeper's child. */
struct cua_errand {
    /* The program to execute; it must belong to root, to this user, or to the owner of `beside`. */
    const char *program;
    const char *beside; /* a file in the program's folder; NULL: none */
    /* Called in the keeper: writes the question by cua_put and the two functions after it. */
    void (*question)(struct cua_errand *errand);
    /* Called in the keeper after the answer. If it returns false, the process has changed
     * meanwhile, so the answer does not count: `error` is -EBUSY. NULL: the answer always
     * counts. */
    bool (*stands)(struct cua_errand *errand);
    const void *data; /* argument for these two functions */
    uint64_t objects; /* set by `question`: a hash of the list of objects in the question */
    size_t libcudas;  /* set by `question`: the number of libcudas in that list */
    /* Set by cua_errand_may. The caller is root, but has not all capabilities of its bounding set.
     * execve would give the program those, so PR_SET_NO_NEW_PRIVS is set for it. */
    bool bind;
    /* Set by cua_errand_may. The program keeps some of the caller's capabilities only by execve's
     * rule for root. If SECBIT_NOROOT disables that rule, the errand fails with -EPERM. */
    bool by_root;
    /* Set by the keeper, for the question: whether standard error takes log lines (stderr.h). */
    bool lines;

    /* The result: 0; -ETIMEDOUT; -EINTR: given up, because a signal is pending that the program
     * must handle now (is_interrupted in keeper.c); -EBUSY: the process has changed during the
     * question or the answer; or -errno of the step that failed. */
    volatile long error;
    volatile int status;    /* the program's wait status; -1: the keeper did not get it */
    volatile size_t length; /* length of `answer` */
    char answer[CUA_ANSWER_MOST];

    /* Used in keeper.c only. `reader` and `writer` are the keeper's ends of the two pipes, `heard`
     * and `spoken` the program's; `helper` is the program's pid; `used` is its CPU time in
     * nanoseconds, and `moved` is when that last changed; `started` is when the question began, and
     * `limit` how many ms the errand may take; `put` is how many bytes of `text` are in use. */
    int null, reader, writer, heard, spoken, caller; /* caller: the thread's /proc/TID/status */
    long helper, started, moved, limit;
    uint64_t used, before; /* before: the calling thread's signal mask */
    uint64_t alarm[4];     /* the program's action for SIGALRM */
    size_t put;
    char caller_path[40];
    /* The bytes that cua_put has not written to the pipe yet; scratch space while there are
     * none. */
    char text[CUA_KEEPER_TEXT];
};

/* Returns NULL if there is no memory. */
struct cua_errand *cua_errand_new(void);
void cua_errand_free(struct cua_errand *errand);

/* Runs the errand and waits for its end. `answer` is valid only if `error` and `status` are 0. */
void cua_errand_run(struct cua_errand *errand);

/* To write the question: cua_put appends bytes, the other two a record of frame.h. Once `error` is
 * set they do nothing. */
void cua_put(struct cua_errand *errand, const char *bytes, size_t size);
void cua_put_text(struct cua_errand *errand, char kind, const char *text);
void cua_put_number(struct cua_errand *errand, char kind, uint64_t number);

#endif
