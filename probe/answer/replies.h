/* SPDX-License-Identifier: Apache-2.0 */
/* Answers the questions that may redirect a request: CUA_ASK_NAMED, CUA_ASK_BROUGHT and
 * CUA_ASK_LINKED (frame.h). For a redirected request the shim, which is the preloaded library in
 * the program, opens another file than ld.so would. main.c calls the function for the question's
 * kind first. Then it calls cua_reply_companions, except under the policy `report`. A companion is
 * a library that libcuda opens itself, such as the PTX compiler (libraries.h). */
#ifndef CUA_REPLIES_H
#define CUA_REPLIES_H

#include <limits.h>
#include <stdbool.h>

#include "answer/asked.h"
#include "base/policy.h"
#include "loader/closure.h"
#include "loader/requester.h"
#include "machine/settings.h"
#include "machine/subject.h"

struct cua_decision;

struct cua_reply {
    enum cua_action action;
    char path[PATH_MAX];
    bool keep; /* the answer also holds for later requests of this name by this caller */
};

/* One question, and what is found out and needed while it is answered. */
struct cua_work {
    const struct cua_asked *asked;
    const struct cua_policy *policy;
    struct cua_reply answer; /* at first the action is CUA_LEAVE, all else is zero */
    struct cua_settings settings;
    struct cua_subject subject;
    struct cua_requester requester;
    int opened; /* descriptor of the file `taken`; -1: it is not open */
    /* True: an error prevented finding out which file ld.so would take, so no libcuda is chosen. */
    bool unsure;
    /* Path of the mapped libcuda; "": none is mapped. Not filled in for CUA_ASK_LINKED. */
    char mapped[PATH_MAX];
    /* `taken`: the file that ld.so would take for the name that was looked up last; "": none.
     * `folder` and `file` are for intermediate results. */
    char taken[PATH_MAX], folder[PATH_MAX], file[PATH_MAX];
    /* For CUA_ASK_BROUGHT, from cua_loader_brings_libcuda: paths, then NULL. They are the CUDA
     * runtimes and the libraries bound to the kernel driver among the requested library and its
     * needs. */
    char *needed[CUA_NEEDED + 1];
    const struct cua_decision *decision; /* the last decision about libcuda; NULL: none */
};

void cua_reply_named(struct cua_work *work);
void cua_reply_brought(struct cua_work *work);
void cua_reply_linked(struct cua_work *work);

/* Adds rows (table.h) for the companions that libcuda may open, if a libcuda was chosen and the
 * request is redirected. Call it after the request's own row is added. */
void cua_reply_companions(struct cua_work *work);

#endif
