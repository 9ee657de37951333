/* SPDX-License-Identifier: Apache-2.0 */
/* What `status` and `matrix` print, gathered. */
#ifndef CUA_REPORT_H
#define CUA_REPORT_H

#include "command/status/running.h"
#include "base/policy.h"
#include "facts/facts.h"
#include "loader/closure.h"
#include "machine/settings.h"
#include "machine/subject.h"
#include "rules/words.h"
#include "command/whatif.h"

struct cua_report {
    struct cua_subject subject;
    struct cua_settings settings;
    struct cua_policy policy;
    struct cua_policy own; /* with the settings of another process's environment: data */
    bool has_own;
    struct cua_facts facts;
    struct cua_verdict verdict;
    struct cua_words words;
    struct cua_facts own_facts;
    struct cua_verdict own_verdict; /* with that policy; nothing where it has none */
    struct cua_words own_words;
    struct cua_running process; /* this one, or that of --pid; of a what-if only preload_file */
    bool looked;                /* the process was looked at */
    char program[PATH_MAX];     /* of --program; "" */
    int brings;                 /* whether ld.so loads libcuda with it, and which, from where: */
    char libcuda[PATH_MAX];     /* else what it takes for a plain program */
    char *needed[CUA_NEEDED + 1];
};

/* The policy in force: --policy (-1 none given), else the caller's settings. What another process
 * would want becomes data. */
void cua_report_policy(struct cua_report *report, int policy);
/* Changes a policy by the environment of a subject. False: it has nothing to change. */
bool cua_policy_of_subject(struct cua_policy *policy, const struct cua_subject *subject);
/* The report will be for this program or library. 0, or -errno where it cannot be read. */
int cua_report_program(struct cua_report *report, const char *file);
/* Subject, settings and policy are the caller's. */
void cua_report_make(struct cua_report *report, const struct cua_overrides *overrides);
void cua_report_free(struct cua_report *report);

/* If the program is not known: the verdict for a program of this CUDA major, without a new trial.
 * False if that equals the report's verdict, or if the program is known. */
bool cua_report_major(const struct cua_report *report, unsigned major, struct cua_verdict *verdict);
/* The majors that there are drivers for, from 11 on. */
unsigned cua_report_last_major(const struct cua_report *report);

/* What the policy `newest` would take, or try first, instead of what `auto` does; NULL: the same.
 */
const struct cua_umd *cua_report_newest(const struct cua_report *report);

/* The file that a trial would decide about if the subject were this process; else NULL. */
const struct cua_umd *cua_report_open(const struct cua_report *report);

/* enum cua_exit. */
int cua_report_exit(const struct cua_report *report);

/* Words that JSON, table and metrics share. */
const char *cua_word_kind(enum cua_kind kind);
const char *cua_word_works(enum cua_works works);

/* How CUDA_VISIBLE_DEVICES was read, and what else keeps GPUs from the process; "" not asked.
 * False: there is no GPU that it could be about. */
bool cua_report_visible(const struct cua_report *report, char *text, size_t size);

/* "through" of the shim: LD_PRELOAD, /etc/ld.so.preload; by number, NULL after the last. */
const char *cua_report_through(const struct cua_report *report, unsigned number);
/* The shim as the process has it mapped, NULL if it does not; its version, "" unknown. */
const struct cua_running_file *cua_report_shim(const struct cua_report *report, char *version,
                                               size_t size);
/* What keeps that shim from doing anything, in words: its engine; "" nothing. */
void cua_report_shim_trouble(const struct cua_report *report, char *trouble, size_t size);

#endif
