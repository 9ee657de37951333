/* SPDX-License-Identifier: Apache-2.0 */
/* What the engine answers, to each kind of question. */
#ifndef CUA_REPLIES_H
#define CUA_REPLIES_H

#include <limits.h>
#include <stdbool.h>

#include "cuarbiter/contract.h"
#include "loader/closure.h"
#include "loader/requester.h"
#include "machine/settings.h"
#include "machine/subject.h"

/* One question and its working space, too large for a thread's stack. The answer comes zeroed,
 * which is CUA_LEAVE. */
struct cua_work {
    const struct cua_question *q;
    struct cua_answer *answer;
    struct cua_settings settings;
    struct cua_subject subject;
    struct cua_requester requester;
    int opened;            /* the descriptor of `taken`; -1 */
    bool unsure;           /* what the caller would get could not be asked: nothing is decided */
    char mapped[PATH_MAX]; /* libcuda, "" where there is none */
    char taken[PATH_MAX], folder[PATH_MAX], file[PATH_MAX];
    char *needed[CUA_NEEDED + 1]; /* BROUGHT: what comes along; owned between its steps */
};

/* Thread-safe, each with a struct of its own. */
void cua_reply_named(struct cua_work *work);
/* BROUGHT in two steps. First, on the program's own stack and for nearly every new library: does it
 * bring libcuda in? If so, `work` holds where ld.so would take it from, for the second step. */
bool cua_reply_brings(struct cua_work *work);
void cua_reply_brought(struct cua_work *work);
void cua_reply_linked(struct cua_work *work);

/* A copy of the text that lives as long as the process, the same for the same text; NULL without
 * memory. */
const char *cua_give(const char *path);

#endif
