/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules: a pure function from facts and policy to a verdict. Reads no file, no clock, no
 * environment; the same input gives the same verdict, and the order of the candidates never
 * matters.
 */
#ifndef CUA_RULES_H
#define CUA_RULES_H

#include "cuarbiter/reasons.h"
#include "facts/facts.h"
#include "base/policy.h"

enum cua_works { CUA_WORKS_UNKNOWN, CUA_WORKS_YES, CUA_WORKS_NO };
enum cua_kind { CUA_KIND_NONE, CUA_KIND_NATIVE, CUA_KIND_COMPAT, CUA_KIND_OTHER };

/* What the rules would like to know before they decide; the caller finds out and asks again. */
enum cua_want {
    CUA_WANT_NOTHING = 0,
    CUA_WANT_NVML = 1,  /* brand and compute capability of the GPUs, from the native NVML */
    CUA_WANT_TRIAL = 2, /* cuInit of `trial` in a child */
};

struct cua_judgement {
    const struct cua_umd *umd;
    enum cua_reason reason;
    char detail[200]; /* the facts it rests on, in words */
};

struct cua_verdict {
    const struct cua_umd *chosen; /* in the facts; NULL: none */
    enum cua_kind kind;
    enum cua_works works;
    enum cua_reason reason;
    char explanation[400]; /* one or two sentences that name the facts */
    char help[240];        /* what the user can do; "" */
    enum cua_want want;
    const struct cua_umd *trial;   /* CUA_WANT_TRIAL: whom to try */
    const struct cua_umd *without; /* what ld.so alone would take; NULL: none */
    int without_code;    /* what cuInit of that would answer: 0, 34, 803, 804; -1 unknown */
    bool forced_warning; /* policy compat chose what the rules call impossible */
    struct cua_judgement *judgements; /* one a UMD, in the order of the facts; owned */
    size_t judgement_count;
};

/* 0, or -ENOMEM. The verdict points into the facts. */
int cua_rules_judge(struct cua_verdict *verdict, const struct cua_facts *facts,
                    const struct cua_policy *policy);

void cua_verdict_free(struct cua_verdict *verdict);

#endif
