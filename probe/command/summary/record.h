/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a log folder, as docs/log.schema.json has it. Others may write such lines. */
#ifndef CUA_RECORD_H
#define CUA_RECORD_H

#include <stddef.h>

#define CUA_RECORD_TEXT 4096

struct cua_record {
    char time[32], host[512], policy[16], reason[64];
    char exe[CUA_RECORD_TEXT], from[CUA_RECORD_TEXT], to[CUA_RECORD_TEXT]; /* "": null */
    long uid, without;                                                     /* -1: null */
};

enum cua_record_kind {
    CUA_RECORD_CHOICE, /* what a process gets */
    CUA_RECORD_OTHER,  /* another line of the log */
    CUA_RECORD_UNKNOWN /* no line of the log, or a part of one */
};

/* `line` has `size` bytes, without its line end. */
enum cua_record_kind cua_record_parse(struct cua_record *record, const char *line, size_t size);

#endif
