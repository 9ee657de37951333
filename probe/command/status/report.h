/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers what `status` and `matrix` print. Subject: the process that is examined, which is this
 * one, another one (--pid), or one of a what-if (an unpacked image, or a machine that options
 * describe). Verdict: cuarbiter's decision about which libcuda it gets. Loader's choice: the
 * libcuda that ld.so alone would take. Trial: a call of cuInit in a child process. Shim:
 * libcuarbiter.so, the library for LD_PRELOAD. Answerer: the program cuarbiter-answer, which the
 * shim starts and asks. */
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
    /* If `has_own`: the policy that the settings in the examined process's environment ask for. It
     * is shown and not applied. */
    struct cua_policy own;
    bool has_own;
    struct cua_facts facts;
    struct cua_verdict verdict;
    struct cua_words words;
    /* Why the kernel driver supports none of the GPUs that options name. "": nothing shows that, or
     * the verdict is not "works" anyway. */
    char refused[160];
    /* The file that CUARBITER_MINOR=yes would take, or try first; NULL: none. */
    const struct cua_umd *minor;
    struct cua_facts own_facts;
    /* The verdict with the policy `own`; all zero unless `has_own`. */
    struct cua_verdict own_verdict;
    struct cua_words own_words;
    /* For a what-if: what NVIDIA's hook (nvidia_hook.h) does, and the facts and the verdict after
     * it. All zero if the hook changes nothing. */
    struct cua_nvidia_hook hook;
    struct cua_facts hook_facts;
    struct cua_verdict hook_verdict;
    /* This process, or that of --pid. For an unpacked image only preload_file is set. */
    struct cua_running process;
    bool looked;            /* `process` was examined */
    char program[PATH_MAX]; /* the file of --program; "": none */
    /* 1: `program` or a library that it needs has libcuda in DT_NEEDED. 0: none has, or there is no
     * `program`. */
    int brings;
    /* The file that ld.so takes for libcuda.so.1: if `brings` is 1, when it loads `program`; else
     * for a program without RPATH and RUNPATH. "": none. */
    char libcuda[PATH_MAX];
    char *needed[CUA_NEEDED + 1];
};

/* Sets report->policy, the policy in force, by the settings of this process; or, if `status --env`
 * gives the environment of an image, by those in it. `policy`: the value of --policy, which
 * replaces the kind (auto, newest, ...), even if the settings disable cuarbiter; -1: not given.
 * Also sets `own` and `has_own`. */
void cua_report_policy(struct cua_report *report, int policy);
/* Changes a policy by CUARBITER_POLICY, CUARBITER_LIBCUDA and CUARBITER_MINOR in the environment of
 * a subject. False: none of them is set. A CUARBITER_LIBCUDA that is a relative path is ignored. */
bool cua_policy_of_subject(struct cua_policy *policy, const struct cua_subject *subject);
/* Lets the report be about this program or library; call it before cua_report_make. 0, or -errno if
 * the file cannot be examined. Unless the subject is this process, the path must be absolute; it is
 * then a path below the subject's root. */
int cua_report_program(struct cua_report *report, const char *file);
/* Gathers the facts and decides. The caller must have set subject, settings and policy.
 * `overrides`: facts to replace. */
void cua_report_make(struct cua_report *report, const struct cua_overrides *overrides);
void cua_report_free(struct cua_report *report);

/* The verdict for a program of this CUDA major, for a report that is not about a particular
 * program. Runs no trial. False if both the file and whether it works are the same as in the
 * report's verdict; if the program's CUDA is known; or if no libcuda was found. */
bool cua_report_major(const struct cua_report *report, unsigned major, struct cua_verdict *verdict);
/* The driver added by `cuarbiter driver add` that a program of this CUDA major would get, after a
 * trial if it needs one. NULL: there is none; the report's verdict chooses that driver anyway; or
 * the report is about a program whose CUDA is known. */
const struct cua_umd *cua_report_brought(const struct cua_report *report, unsigned major);
/* The CUDA major of the newest driver branch in the tables. */
unsigned cua_report_last_major(const struct cua_report *report);

/* The version of a driver here whose branch is newer than all in the tables: the kernel driver's
 * or, if that is not newer, the first such libcuda's. NULL: none. */
const char *cua_report_above(const struct cua_report *report);

/* The file that the policy `newest` would take, or try first. NULL if it is the one that `auto`
 * takes; if the policy in force is not `auto` or has a file (CUARBITER_LIBCUDA); or if trials are
 * forbidden. */
const struct cua_umd *cua_report_newest(const struct cua_report *report);

/* Finds the driver that `cuarbiter driver add` could add for a program that gets error 35 here, or
 * why none would help. False: programs do not get error 35 here. */
bool cua_report_suit(const struct cua_report *report, struct cua_suit *suit);

/* What cuInit returns for the loader's choice, without cuarbiter but after NVIDIA's hook, if that
 * acts; -1: not known. */
int cua_report_hooked(const struct cua_report *report);

/* For a subject other than this process, for which nothing can be tried: the file whose trial would
 * decide. NULL: the verdict does not depend on a trial, or the subject is this process. */
const struct cua_umd *cua_report_open(const struct cua_report *report);

/* The exit code of `status`, an enum cua_exit. */
int cua_report_exit(const struct cua_report *report);

/* The words for these values, the same in text, JSON and metrics. */
const char *cua_word_kind(enum cua_kind kind);
const char *cua_word_works(enum cua_works works);

/* Writes which GPUs CUDA_VISIBLE_DEVICES makes visible, and what else keeps GPUs from the process;
 * "": nothing is known about that. False: no GPU was found, and the text does not explain why. */
bool cua_report_visible(const struct cua_report *report, char *text, size_t size);

/* Of "LD_PRELOAD" and "/etc/ld.so.preload", returns those that name the shim, one per call:
 * `number` counts them from 0. NULL after the last one. */
const char *cua_report_through(const struct cua_report *report, unsigned number);
/* The shim that the process has mapped. `ident` receives the contents of the mark in that file,
 * such as its version (running.h). NULL: no shim is mapped. */
const struct cua_running_file *cua_report_shim(const struct cua_report *report,
                                               struct cua_ident_read *ident);
/* Writes to `trouble` what is wrong: why the shim is not in the process, why it can do nothing
 * there (for example, the answerer is missing), or that the answerer is of another version, with
 * which the shim still works. "": nothing is wrong. Returns whether cuarbiter does nothing because
 * of the trouble. */
bool cua_report_shim_trouble(const struct cua_report *report, char *trouble, size_t size);

#endif
