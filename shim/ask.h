/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the answerer, and stores its answers for later requests. */
#ifndef CUA_ASK_H
#define CUA_ASK_H

#include "known.h"
#include "question.h"

struct cua_answer {
    enum cua_action action;
    const struct cua_row *row; /* never freed; not NULL unless the action is CUA_LEAVE */
    /* The answer also holds for later requests of this name by this caller. */
    bool keep;
};

/* Returns CUA_LEAVE if no process can be started or the answer is incomplete. Also stores the rows
 * for libcuda's companions and writes the answer's log lines. Takes no lock; any number of threads
 * may call it at once. */
void cua_ask(struct cua_question *question, struct cua_answer *answer);

#endif
