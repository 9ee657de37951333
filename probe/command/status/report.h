/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers what `status` and `matrix` print. */
#ifndef CUA_REPORT_H
#define CUA_REPORT_H

#include "command/driver/suit.h"
#include "command/status/nvidia_hook.h"
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
    /* The policy that the settings in the other process's environment would give. It is shown and
     * not applied. */
    struct cua_policy own;
    bool has_own;
    struct cua_facts facts;
    struct cua_verdict verdict;
    struct cua_words words;
    char refused[160]; /* why the kernel driver supports no GPU that was named for a what-if; "" */
    /* The file that CUARBITER_MINOR=yes would take, or try first; NULL: none. */
    const struct cua_umd *minor;
    struct cua_facts own_facts;
    /* The verdict with `own`; empty if the other process sets nothing. */
    struct cua_verdict own_verdict;
    struct cua_words own_words;
    struct cua_nvidia_hook hook; /* for a what-if: NVIDIA's hook, and the verdict if it acts */
    struct cua_facts hook_facts;
    struct cua_verdict hook_verdict;
    /* This process, or that of --pid; for a what-if only preload_file is set. */
    struct cua_running process;
    bool looked;            /* `process` was examined */
    char program[PATH_MAX]; /* the argument of --program; "" */
    /* Whether ld.so loads libcuda together with the program, and if so, which one it found and
     * where. */
    int brings;
    char libcuda[PATH_MAX]; /* otherwise the one it would take for a plain program */
    char *needed[CUA_NEEDED + 1];
};

/* Sets the policy in force: `policy` from --policy, or if that is -1, by the caller's settings. The
 * settings of another process are shown but not applied. */
void cua_report_policy(struct cua_report *report, int policy);
/* Changes a policy as the environment of a subject asks. False: the environment asks for
 * nothing. */
bool cua_policy_of_subject(struct cua_policy *policy, const struct cua_subject *subject);
/* Makes a report about this program or library. 0, or -errno if it cannot be read. */
int cua_report_program(struct cua_report *report, const char *file);
/* The caller must have set subject, settings and policy. */
void cua_report_make(struct cua_report *report, const struct cua_overrides *overrides);
void cua_report_free(struct cua_report *report);

/* The verdict for a program of this CUDA major, in a report that is not about a particular program.
 * Runs no trial. False if it equals the report's verdict, or if the program's CUDA is known. */
bool cua_report_major(const struct cua_report *report, unsigned major, struct cua_verdict *verdict);
/* The brought driver that a program of this major would get, after a trial; NULL: none. */
const struct cua_umd *cua_report_brought(const struct cua_report *report, unsigned major);
/* The highest CUDA major that there are drivers for, at least 11. */
unsigned cua_report_last_major(const struct cua_report *report);

/* The version of a driver here whose branch is newer than the tables: the kernel driver's if it is,
 * else a libcuda's. NULL: none. */
const char *cua_report_above(const struct cua_report *report);

/* The file that the policy `newest` would take, or try first, if it is another one than `auto`
 * takes; else NULL. */
const struct cua_umd *cua_report_newest(const struct cua_report *report);

/* Which driver could be brought for a program that gets error 35 here, or why none could. False:
 * programs do not get error 35 here. */
bool cua_report_suit(const struct cua_report *report, struct cua_suit *suit);

/* What cuInit answers without cuarbiter if NVIDIA's hook has acted; -1: not known. */
int cua_report_hooked(const struct cua_report *report);

/* The file whose trial would decide, if trials were possible for the subject; else NULL. (They are
 * possible for this process only.) */
const struct cua_umd *cua_report_open(const struct cua_report *report);

/* The exit code, an enum cua_exit. */
int cua_report_exit(const struct cua_report *report);

/* Words that are the same in JSON, tables and metrics. */
const char *cua_word_kind(enum cua_kind kind);
const char *cua_word_works(enum cua_works works);

/* Describes how CUDA_VISIBLE_DEVICES was read, and what else keeps GPUs from the process; "":
 * nothing does. False: there is no GPU that it could hide. */
bool cua_report_visible(const struct cua_report *report, char *text, size_t size);

/* The ways by which the shim gets into the process, LD_PRELOAD and /etc/ld.so.preload, numbered
 * from 0; NULL after the last one. */
const char *cua_report_through(const struct cua_report *report, unsigned number);
/* The shim that the process has mapped; `ident` receives what that file says about itself. NULL:
 * none is mapped. */
const struct cua_running_file *cua_report_shim(const struct cua_report *report,
                                               struct cua_ident_read *ident);
/* Describes what is wrong with the shim's answerer; "": nothing. True: the shim can do nothing
 * because of that. */
bool cua_report_shim_trouble(const struct cua_report *report, char *trouble, size_t size);

#endif
