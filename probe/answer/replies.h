/* SPDX-License-Identifier: Apache-2.0 */
/* Answers each kind of question. */
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
    bool keep; /* the answer holds for later requests of this name by this caller */
};

/* One question, and the working space to answer it. */
struct cua_work {
    const struct cua_asked *asked;
    const struct cua_policy *policy;
    struct cua_reply answer; /* at first all zero, with the action CUA_LEAVE */
    struct cua_settings settings;
    struct cua_subject subject;
    struct cua_requester requester;
    int opened;            /* descriptor of `taken`, ld.so's own choice for the caller; -1: none */
    bool unsure;           /* not known which file the caller would get: nothing is decided */
    char mapped[PATH_MAX]; /* path of the mapped libcuda; "": none is mapped */
    char taken[PATH_MAX], folder[PATH_MAX], file[PATH_MAX];
    /* For BROUGHT: libraries that the requested one needs (closure.h). */
    char *needed[CUA_NEEDED + 1];
    const struct cua_decision *decision; /* the last decision about libcuda; NULL: none */
};

void cua_reply_named(struct cua_work *work);
void cua_reply_brought(struct cua_work *work);
void cua_reply_linked(struct cua_work *work);

/* If a libcuda was chosen, adds rows for the companions that it may load. Call it after the row of
 * libcuda is written. */
void cua_reply_companions(struct cua_work *work);

#endif
