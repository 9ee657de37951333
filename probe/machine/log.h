/* SPDX-License-Identifier: Apache-2.0 */
/* The log: lines `cuarbiter[pid]: warn: CODE: sentence`, or JSON, on stderr or in
 * CUARBITER_LOG_FILE; never on stdout. A line of at most 4,096 bytes is written by one write(2).
 * Thread-safe; keeps errno. If CUARBITER_LOG_FILE is a folder (a log folder), each host and user
 * has a file of JSON lines in it, HOST-UID.jsonl, which takes no more lines beyond 4 MiB.
 *
 * A decision is which libcuda a process gets. It is made by the answerer, a process that the shim
 * in the program starts (asker.h). */
#ifndef CUA_LOG_H
#define CUA_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/settings.h"

enum cua_level { CUA_LOG_ERROR, CUA_LOG_WARN, CUA_LOG_INFO, CUA_LOG_DEBUG };

/* Reads level, file, format and policy from the settings and the site file (site.h), once per
 * process: only the first call counts. Before that only errors and warnings are written, to
 * stderr. */
struct cua_site;
void cua_log_setup(const struct cua_settings *settings, const struct cua_site *site);

bool cua_log_wanted(enum cua_level level);

/* Logs a line, unless its level is below the log's. `code` is a stable word, such as a reason code.
 * A warning is given once per process, and once per container if the cache folder (cachedir.h) can
 * be used; but each time if the log's level is info or debug. Lines of other levels are written
 * each time. */
void cua_log(enum cua_level level, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Logs a warning once in each process, even if another process of the container has logged it. The
 * log's levels info and debug do not repeat it. It is for settings, because every process has its
 * own. */
void cua_log_each(const char *code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The decision for a process, as a log line in JSON shows it. */
struct cua_choice {
    /* `reason`: reason code. `from`: the libcuda that ld.so alone would take; `to`: the one that
     * the process gets, or would get if the policy is `report`; both as paths, NULL: none. */
    const char *reason, *from, *to;
    int without; /* what cuInit of `from` returns; -1: not known */
    /* Set only if no driver here is new enough for the program, so that `cuarbiter driver add`
     * could help: the program's CUDA, the kernel driver's version, and the models of the GPUs,
     * joined by "; ". If `cuda` is NULL, all three are left out. */
    const char *cuda, *kmd, *gpus;
};

/* A file in a log folder that has more bytes than this takes no more lines. */
#define CUA_LOG_FOLDER_MOST (4 << 20)

/* Whether the first decision of each process is recorded whatever the log's level is: in a log
 * folder, or by the node's collector (report.h). */
bool cua_log_collects(void);

/* Like cua_log, for a decision. `choice` describes the first decision of a process, which a log
 * folder and the node's collector record once; it is NULL for a later one. If a log folder is set
 * but cannot be written to, the line is logged as if none were set, on stderr. */
void cua_log_choice(enum cua_level level, const char *code, const char *sentence,
                    const struct cua_choice *choice);

/* cua_log_given: returns the next of the hashes of the warnings that are not to be given again; 0
 * after the last one. *at must be 0 at first, and is moved on. cua_log_recall: takes such a hash
 * from the previous answerer of the same program, so that this one does not repeat the warning. */
unsigned cua_log_given(size_t *at);
void cua_log_recall(unsigned warning);

#endif
