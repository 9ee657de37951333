/* SPDX-License-Identifier: Apache-2.0 */
/* The log: lines `cuarbiter[pid]: warn: CODE: sentence`, or JSON, on stderr or in
 * CUARBITER_LOG_FILE; never on stdout. A line of up to 4,096 bytes is written by one write(2); a
 * longer one by several, so a line of another process may come between. Thread-safe; keeps errno.
 *
 * CUARBITER_LOG_FILE can be a folder (a log folder). Each host and user then has a file of JSON
 * lines in it, HOST-UID.jsonl. A file of more than 4 MiB takes no more lines.
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
 * If the log's level is warn, a warning is written once per process, and only once per container
 * and user if the cache folder (cachedir.h) can be used. Other lines are written each time; so are
 * warnings at the log's levels info and debug. */
void cua_log(enum cua_level level, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Logs a warning once in each process. Unlike cua_log, does so even if another process of the
 * container has logged it, and does not repeat it at the log's levels info and debug. For warnings
 * about settings, because every process has its own settings. */
void cua_log_each(const char *code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The decision for a process, as a log line in JSON shows it. */
struct cua_choice {
    /* `reason`: reason code. `from`: path of the libcuda that ld.so alone would take. `to`: path of
     * the libcuda that the process gets, or would get if the policy is `report`. A path of NULL:
     * none. */
    const char *reason, *from, *to;
    int without; /* what cuInit of `from` returns; -1: not known */
    /* `cuda`: CUDA version that the program needs. `kmd`: the kernel driver's version. `gpus`:
     * models of the GPUs, joined by "; ". Set only if no driver here is new enough for the program,
     * so that `cuarbiter driver add` could help. If `cuda` is NULL, the line has none of the
     * three. */
    const char *cuda, *kmd, *gpus;
};

/* A file in a log folder that has more bytes than this takes no more lines. */
#define CUA_LOG_FOLDER_MOST (4 << 20)

/* Whether a log folder or the node's collector (report.h) records the first decision of each
 * process, whatever the log's level is. */
bool cua_log_collects(void);

/* Logs a decision, like cua_log. `choice` describes the first decision of a process; for a later
 * one, or without a kernel driver, it is NULL. A log folder and the node's collector (report.h)
 * record a first decision once, whatever the log's level is. If the log folder cannot be written
 * to, the line goes to stderr, by the rules of cua_log. */
void cua_log_choice(enum cua_level level, const char *code, const char *sentence,
                    const struct cua_choice *choice);

/* Returns the hash of the next warning that must not be given again; 0 after the last one. *at must
 * be 0 for the first call. */
unsigned cua_log_given(size_t *at);
/* Stores a hash that cua_log_given returned in the previous answerer of the same program, so that
 * this answerer does not repeat the warning. */
void cua_log_recall(unsigned warning);

#endif
