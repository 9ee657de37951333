/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the answerer (a program beside the shim) which file a request gets, and turns its answer
 * into rows (known.h). Companions: the libraries that libcuda opens, such as the PTX compiler. */
#ifndef CUA_ASK_H
#define CUA_ASK_H

#include "known.h"
#include "question.h"

struct cua_answer {
    enum cua_action action;
    const struct cua_row *row; /* never freed; NULL only if the action is CUA_LEAVE */
    /* Whether the answer also holds for later requests of this name by this caller. */
    bool keep;
};

/* Fills in `answer`. Its action is CUA_LEAVE also if the answerer cannot be asked or its answer is
 * incomplete. Caches the rows for libcuda's companions, but not answer->row, and writes the
 * answer's log lines to standard error. Takes no lock; any number of threads may call it at
 * once. */
void cua_ask(struct cua_question *question, struct cua_answer *answer);

#endif
