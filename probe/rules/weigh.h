/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the rules: what one UMD is on this machine, before UMDs are compared. */
#ifndef CUA_WEIGH_H
#define CUA_WEIGH_H

#include "facts/facts.h"
#include "tables/tables.h"

enum cua_class {
    CUA_CLASS_UNUSABLE, /* never a candidate */
    CUA_CLASS_UNKNOWN,  /* usable as a file; what it is here cannot be told */
    CUA_CLASS_OLDER,
    CUA_CLASS_NATIVE,
    CUA_CLASS_NEWER,
};

enum cua_fit { CUA_FIT_NO, CUA_FIT_OPEN, CUA_FIT_YES };

struct cua_weight {
    const struct cua_umd *umd;
    enum cua_class class;
    enum cua_fit fit; /* of a newer one: whether the facts say that it works */
    bool hardware;    /* open, and a GPU's brand or compute capability is among the open facts */
    bool spent;       /* open, and a trial brought nothing */
    bool tried;       /* fits, and a trial says so too */
    int code;         /* what cuInit would answer: 0, 34, 803, 804; -1 unknown */
    enum cua_reason reason;
    char *detail; /* of the judgement, 200 bytes */
};

/* Class, and for all that are not newer the reason, of a UMD. `named`: by the user's own word,
 * which makes up for trust. */
void cua_weigh(struct cua_weight *weight, const struct cua_facts *facts, bool named);

/* Whether a program of that CUDA runs on this UMD, minor version compatibility included. True where
 * either is not known. `row`: what the toolkit needs; may be NULL in the answer. */
bool cua_runs(const struct cua_facts *facts, const struct cua_umd *umd,
              const struct cua_row_toolkit **row);

/* The order in which the best is looked for: by version, then by path; >0 if a comes first. */
int cua_newer_compare(const struct cua_umd *a, const struct cua_umd *b);
int cua_native_compare(const struct cua_umd *a, const struct cua_umd *b);

#endif
