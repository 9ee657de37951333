/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers what `status` and `matrix` print.
 * - Subject: the process that is examined. It is this process, another one (--pid), or one of a
 *   what-if (an unpacked image, or a machine that options describe).
 * - Verdict: cuarbiter's decision which libcuda the subject gets.
 * - Loader's choice: the libcuda that ld.so alone would take.
 * - Trial: a call of cuInit in a child process.
 * - Shim: libcuarbiter.so, the library for LD_PRELOAD.
 * - Answerer: the program cuarbiter-answer, which the shim starts and asks. */
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
    /* Why the kernel driver supports none of the GPUs that options name. Set only if the verdict
     * was changed to "does not work" for this reason; otherwise "". */
    char refused[160];
    /* The file that CUARBITER_MINOR=yes would take, or try first, instead of the host's driver.
     * NULL: none. See cua_decide_minor (decide/loop.h). */
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
    /* This process, or that of --pid. For an unpacked image only preload_file is set, and with
     * `status --env` also preload. */
    struct cua_running process;
    bool looked;            /* `process` was examined */
    char program[PATH_MAX]; /* the file of --program; "": none */
    /* 1: `program` or a library that it needs has libcuda in DT_NEEDED. 0: none has, or there is no
     * `program`. */
    int brings;
    /* The file that ld.so takes for libcuda.so.1; "": none. If `brings` is 1, it is the file for
     * `program`. Otherwise it is the file for a program without RPATH and RUNPATH. */
    char libcuda[PATH_MAX];
    char *needed[CUA_NEEDED + 1];
};

/* Sets report->policy (the policy in force) from the settings of this process; with `--env`,
 * from the settings in the image's environment. Also sets `own` and `has_own`. `policy`: the
 * value of --policy; -1: not given. The value of --policy replaces the policy's kind (auto,
 * newest, ...), even if the settings disable cuarbiter. */
void cua_report_policy(struct cua_report *report, int policy);
/* Changes a policy by CUARBITER_POLICY, CUARBITER_LIBCUDA and CUARBITER_MINOR in the environment
 * of a subject. A CUARBITER_LIBCUDA that is not an absolute path counts as not set. Returns
 * false if none of the three is set. */
bool cua_policy_of_subject(struct cua_policy *policy, const struct cua_subject *subject);
/* Makes the report be about this program or library. Call it before cua_report_make. If the
 * subject is not this process, `file` must be an absolute path, without the path of the
 * subject's root before it. Returns 0, or -errno if the file cannot be examined. */
int cua_report_program(struct cua_report *report, const char *file);
/* Gathers the facts and decides. The caller must have set subject, settings and policy.
 * `overrides`: facts to replace. */
void cua_report_make(struct cua_report *report, const struct cua_overrides *overrides);
void cua_report_free(struct cua_report *report);

/* Makes the verdict for a program of this CUDA major, without a trial. Returns false in these
 * cases:
 * - The file and whether it works are both the same as in the report's verdict.
 * - The report is about a program whose CUDA is known.
 * - No libcuda was found.
 * - The kernel driver supports none of the GPUs (report->refused). */
bool cua_report_major(const struct cua_report *report, unsigned major, struct cua_verdict *verdict);
/* Returns the driver added by `cuarbiter driver add` that a program of this CUDA major would get,
 * perhaps after a trial. Returns NULL in these cases:
 * - There is no such driver.
 * - The report's verdict chooses that driver anyway.
 * - The report is about a program whose CUDA is known.
 * - The kernel driver supports none of the GPUs. */
const struct cua_umd *cua_report_brought(const struct cua_report *report, unsigned major);
/* The CUDA major of the newest driver branch in the tables. */
unsigned cua_report_last_major(const struct cua_report *report);

/* Returns the version of a driver whose branch is newer than all branches in the tables. Checks the
 * kernel driver first, then the libcudas. NULL: there is no such driver. */
const char *cua_report_above(const struct cua_report *report);

/* Returns the file that the policy `newest` would take, or try first. Returns NULL in these cases:
 * - There is no such file, or the report's verdict chooses it anyway.
 * - The policy in force is not `auto`, or names a file (CUARBITER_LIBCUDA).
 * - Trials are forbidden.
 * - The kernel driver supports none of the GPUs. */
const struct cua_umd *cua_report_newest(const struct cua_report *report);

/* Finds the driver that `cuarbiter driver add` could add for a program that gets error 35 here, or
 * why none would help. False: programs do not get error 35 here. */
bool cua_report_suit(const struct cua_report *report, struct cua_suit *suit);

/* What cuInit returns without cuarbiter, but with NVIDIA's hook: for report->hook.file, or for
 * the loader's choice if the hook changes nothing. -1: not known. */
int cua_report_hooked(const struct cua_report *report);

/* For a subject other than this process nothing can be tried. Returns the file whose trial would
 * decide that subject's verdict. NULL: the verdict does not depend on a trial, or the subject is
 * this process. */
const struct cua_umd *cua_report_open(const struct cua_report *report);

/* The exit code of `status`, an enum cua_exit. */
int cua_report_exit(const struct cua_report *report);

/* The words for these values, the same in text, JSON and metrics. */
const char *cua_word_kind(enum cua_kind kind);
const char *cua_word_works(enum cua_works works);

/* Writes notes on which GPUs the process can use: what CUDA_VISIBLE_DEVICES makes visible, how
 * many device files cannot be opened, or that the container was given no GPU. "": there are no
 * notes. False: no GPU was found, and the text does not explain why. */
bool cua_report_visible(const struct cua_report *report, char *text, size_t size);

/* Returns what names the shim: "LD_PRELOAD" or "/etc/ld.so.preload". If both name it, `number` 0
 * gives the first and 1 the second. NULL: there is no further one. */
const char *cua_report_through(const struct cua_report *report, unsigned number);
/* The shim that the process has mapped. `ident` receives the contents of the mark in that file,
 * such as its version (running.h). NULL: no shim is mapped. */
const struct cua_running_file *cua_report_shim(const struct cua_report *report,
                                               struct cua_ident_read *ident);
/* Writes to `trouble` what is wrong with the shim; "": nothing is known to be wrong. Finds these
 * cases:
 * - The shim is not in the process or does nothing there, and the reason is known.
 * - The shim cannot use the answerer, for example because the file is missing.
 * - The answerer has another version, but the shim works with it.
 *
 * Returns true in the first two cases: cuarbiter does nothing. */
bool cua_report_shim_trouble(const struct cua_report *report, char *trouble, size_t size);

#endif
