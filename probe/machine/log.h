/* SPDX-License-Identifier: Apache-2.0 */
/* The log: lines `cuarbiter[pid]: warn: CODE: sentence` on stderr or in CUARBITER_LOG_FILE, one
 * write(2) each, never on stdout. Thread-safe; keeps errno. Where CUARBITER_LOG_FILE is a folder,
 * each host and user has a file of JSON lines in it, HOST-UID.jsonl, of 4 MiB at most. */
#ifndef CUA_LOG_H
#define CUA_LOG_H

#include <stdbool.h>

#include "machine/settings.h"

enum cua_level { CUA_LOG_ERROR, CUA_LOG_WARN, CUA_LOG_INFO, CUA_LOG_DEBUG };

/* Reads level, file and format from the settings; once a process, the first call wins. Until then
 * only errors and warnings are written, to stderr. */
struct cua_site;
void cua_log_setup(const struct cua_settings *settings, const struct cua_site *site);

bool cua_log_wanted(enum cua_level level);

/* `code` is a stable word, e.g. a reason code. The same warning is given once a
 * process, or once a container where the cache folder is usable; at info and debug each time. */
void cua_log(enum cua_level level, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What a process gets, for the line that says so. */
struct cua_choice {
    const char *reason, *from, *to; /* `from`: the loader's choice; paths; NULL: none */
    int without;                    /* what cuInit of `from` answers; -1 not known */
};

#define CUA_LOG_FOLDER_MOST (4 << 20) /* bytes, after which a file there takes no more */

/* Whether a log folder takes such a line, at whatever level. */
bool cua_log_collects(void);

/* As cua_log, of a process's first decision (NULL: of a later one), once in a log folder; what
 * cannot be written there is treated as without one. */
void cua_log_choice(enum cua_level level, const char *code, const char *sentence,
                    const struct cua_choice *choice);

#endif
