/* SPDX-License-Identifier: Apache-2.0 */
/* The log: lines `cuarbiter[pid]: warn: CODE: sentence` on stderr or in CUARBITER_LOG_FILE, each
 * written by one write(2); never on stdout. Thread-safe; keeps errno. If CUARBITER_LOG_FILE is a
 * folder, each host and user has a file of JSON lines in it, HOST-UID.jsonl, of at most 4 MiB. */
#ifndef CUA_LOG_H
#define CUA_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/settings.h"

enum cua_level { CUA_LOG_ERROR, CUA_LOG_WARN, CUA_LOG_INFO, CUA_LOG_DEBUG };

/* Reads level, file and format from the settings, once per process: only the first call counts.
 * Before that only errors and warnings are written, to stderr. */
struct cua_site;
void cua_log_setup(const struct cua_settings *settings, const struct cua_site *site);

bool cua_log_wanted(enum cua_level level);

/* `code` is a stable word, such as a reason code. A warning is given once per process, or once per
 * container if the cache folder can be used. Lines at info and debug are always written. */
void cua_log(enum cua_level level, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Like cua_log for a warning, but each process gives it once, not each container. It is for
 * settings, because every process has its own. */
void cua_log_each(const char *code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The decision for a process, for the log line about it. */
struct cua_choice {
    /* `from`: path of the loader's choice; `to`: path of what the process gets; NULL: none. */
    const char *reason, *from, *to;
    int without; /* what cuInit of `from` answers; -1 not known */
    /* Set only if no driver here is new enough for the program, so that a driver can be brought:
     * the program's CUDA, the kernel driver's version, and the models of the GPUs, joined by "; ".
     * NULL: left out. */
    const char *cuda, *kmd, *gpus;
};

/* The size in bytes from which on a file in a log folder takes no more lines. */
#define CUA_LOG_FOLDER_MOST (4 << 20)

/* Whether the first decision of each process is collected, in a log folder or by the node's
 * collector, whatever the log's level is. */
bool cua_log_collects(void);

/* Like cua_log, for a decision. `choice` describes the first decision of a process, which a log
 * folder and the node's collector record once; it is NULL for a later one. If a log folder is set
 * but cannot be written to, the line is logged as if none were set. */
void cua_log_choice(enum cua_level level, const char *code, const char *sentence,
                    const struct cua_choice *choice);

/* cua_log_given: the hashes of the warnings that this process has given. `*at` is 0 for the first
 * and is moved on; returns 0 after the last one. cua_log_recall: takes such a hash from the
 * previous answerer of the same program, so that this one does not repeat the warning. */
unsigned cua_log_given(size_t *at);
void cua_log_recall(unsigned warning);

#endif
