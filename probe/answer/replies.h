/* SPDX-License-Identifier: Apache-2.0 */
/* What the engine answers, to each kind of question. */
#ifndef CUA_REPLIES_H
#define CUA_REPLIES_H

#include <limits.h>
#include <stdbool.h>

#include "cuarbiter/contract.h"
#include "loader/closure.h"
#include "machine/settings.h"
#include "machine/subject.h"

/* Too large for the stack of somebody's thread. */
struct cua_paths {
    struct cua_walked walked;
    char mapped[PATH_MAX]; /* libcuda, "" where there is none */
    char taken[PATH_MAX], folder[PATH_MAX], file[PATH_MAX];
    char *needed[CUA_NEEDED + 1]; /* BROUGHT: what comes along; owned between its steps */
};

/* The answer comes zeroed, which is CUA_LEAVE; `paths` are for whatever comes. Thread-safe. */
void cua_reply_named(const struct cua_question *q, const struct cua_subject *subject,
                     const struct cua_settings *settings, struct cua_paths *paths,
                     struct cua_answer *answer);
/* BROUGHT in two steps. Does the library bring libcuda in? Asked for nearly every new one, on the
 * program's own stack. Then `paths` has where ld.so would take it from, for the second. */
bool cua_reply_brings(const struct cua_question *q, const struct cua_subject *subject,
                      const struct cua_settings *settings, struct cua_paths *paths,
                      struct cua_answer *answer);
void cua_reply_brought(const struct cua_question *q, const struct cua_subject *subject,
                       const struct cua_settings *settings, struct cua_paths *paths,
                       struct cua_answer *answer);
void cua_reply_linked(const struct cua_question *q, const struct cua_subject *subject,
                      const struct cua_settings *settings, struct cua_paths *paths,
                      struct cua_answer *answer);

/* A copy of the text that lives as long as the process, the same for the same text; NULL without
 * memory. */
const char *cua_give(const char *path);

#endif
