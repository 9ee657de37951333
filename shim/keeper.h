/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the answerer, a program, without this process noticing. This process gets no signal, no
 * descriptor, and no child that a wait without __WALL or __WCLONE could see. No lock of libc is
 * taken.
 *
 * execve(2) sets a child's exit signal back to SIGCHLD. So the child of this process, the keeper,
 * never executes anything: it shares this memory and has no exit signal and its own descriptor
 * table. The keeper starts the answerer as its child, exchanges question and answer with it,
 * and leaves the answer in memory. It kills the answerer if necessary, and reaps it. The calling
 * thread waits meanwhile, as in vfork.
 *
 * In comments, "the program" is the one that this process runs, never the answerer. */
#ifndef CUA_KEEPER_H
#define CUA_KEEPER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuarbiter/frame.h"

#define CUA_KEEPER_TEXT 16384

/* cua_errands: how many errands (see below) are running now. cua_errands_begun: how many were ever
 * begun. If the program forks during an errand, cua_errands stays too high in the child. The only
 * effect is that the child skips a check (has_quiet_child in confined.c). */
extern _Atomic(int) cua_errands, cua_errands_begun;

/* One errand: a question, the program that answers it, and the answer. It lies in a shared mapping
 * of its own, which also holds the stacks of the keeper and of the keeper's child. */
struct cua_errand {
    /* The answerer's path; the file must belong to root, to this user, or to the owner of the file
     * `beside`. */
    const char *program;
    const char *beside; /* the shim's path; NULL: its owner is not trusted */
    /* Called in the keeper: writes the question by cua_put, cua_put_text and cua_put_number. */
    void (*question)(struct cua_errand *errand);
    /* Called in the keeper after the answer. If it returns false, the process has changed
     * meanwhile, so the answer does not count: `error` is -EBUSY. NULL: the answer always
     * counts. */
    bool (*stands)(struct cua_errand *errand);
    const void *data; /* argument for these two functions */
    uint64_t objects; /* set by `question`: a hash of the list of objects in the question */
    size_t libcudas;  /* set by `question`: the number of libcudas in that list */
    /* Set by cua_errand_may. The caller is root, but lacks some capabilities of its bounding set.
     * execve would give these to the answerer, so PR_SET_NO_NEW_PRIVS is set for it. */
    bool bind;
    /* Set by cua_errand_may. The answerer keeps some of the caller's capabilities only by execve's
     * rule for root. If SECBIT_NOROOT disables that rule, the errand fails with -EPERM. */
    bool by_root;
    /* Set by the keeper, for the question: whether standard error takes log lines (stderr.h). */
    bool lines;

    /* The result:
     * 0: no step failed. The answerer may still have failed (see `status`), or its answer may be
     * incomplete.
     * -ETIMEDOUT: the answerer took too long.
     * -EINTR: given up, because the program must handle a signal now (is_interrupted in keeper.c).
     * -EBUSY: the list of loaded objects kept changing, or `stands` returned false.
     * Any other value: -errno of the step that failed. */
    volatile long error;
    volatile int status;    /* the answerer's wait status; -1: the keeper did not get it */
    volatile size_t length; /* length of `answer` */
    char answer[CUA_ANSWER_MOST];

    /* The fields from here on are used in keeper.c only, except `text`. */

    /* Descriptors. null: /dev/null, or its replacement (open_nowhere). reader, writer: the keeper's
     * ends of the two pipes. heard, spoken: the answerer's ends. caller: /proc/TID/status of the
     * calling thread. */
    int null, reader, writer, heard, spoken, caller;
    /* helper: the answerer's pid. started: when the errand began. moved: when `used` last changed.
     * (Both by CLOCK_MONOTONIC, in ms.) limit: how long the errand may take, in ms. */
    long helper, started, moved, limit;
    /* used: the answerer's CPU time, in ns. before: the calling thread's signal mask. */
    uint64_t used, before;
    uint64_t alarm[4]; /* this process's action for SIGALRM, as the kernel's struct sigaction */
    size_t put;        /* how many bytes of `text` are in use */
    char caller_path[40];
    /* The bytes that cua_put has not written to the pipe yet; scratch space while there are
     * none. */
    char text[CUA_KEEPER_TEXT];
};

/* Returns NULL if there is no memory. */
struct cua_errand *cua_errand_new(void);
void cua_errand_free(struct cua_errand *errand);

/* Runs the errand and waits for its end. `answer` is valid only if `error` and `status` are 0; it
 * may be incomplete even then. */
void cua_errand_run(struct cua_errand *errand);

/* To write the question: cua_put appends bytes, the other two a record of frame.h. Once `error` is
 * set they do nothing. */
void cua_put(struct cua_errand *errand, const char *bytes, size_t size);
void cua_put_text(struct cua_errand *errand, char kind, const char *text);
void cua_put_number(struct cua_errand *errand, char kind, uint64_t number);

#endif
