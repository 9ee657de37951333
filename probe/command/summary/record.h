/* SPDX-License-Identifier: Apache-2.0 */
/* Parses one line of a file in a log folder (machine/log.h). docs/log.schema.json describes such
 * a line. Other users may have written the line. */
#ifndef CUA_RECORD_H
#define CUA_RECORD_H

#include <stddef.h>

#define CUA_RECORD_TEXT 4096

struct cua_record {
    char time[32], host[512], policy[16], reason[64];
    char container[128]; /* in a line about a container: its ID, or "?" if it is not known */
    /* Paths; "" if the value is null. In a line about a container, `from` is not a path: it is
     * why the container got cuarbiter, or why it did not. */
    char exe[CUA_RECORD_TEXT], from[CUA_RECORD_TEXT], to[CUA_RECORD_TEXT];
    /* As in struct cua_choice of machine/log.h; "" if the line does not have them. */
    char cuda[16], kmd[64], gpus[512];
    /* -1: the line has no valid number there. */
    long uid, without;
};

enum cua_record_kind {
    CUA_RECORD_CHOICE, /* what a process got */
    /* CUA_RECORD_ADDED, CUA_RECORD_LEFT: lines that the OCI hook and the NRI plugin write. */
    CUA_RECORD_ADDED,  /* a container got cuarbiter */
    CUA_RECORD_LEFT,   /* a container did not get cuarbiter, for the reason in `from` */
    CUA_RECORD_OTHER,  /* any other line of the log */
    CUA_RECORD_UNKNOWN /* not a line of the log, or only part of one */
};

/* Parses a line of `size` bytes, without its newline. Fields of `record` that the returned kind
 * does not use are undefined. */
enum cua_record_kind cua_record_parse(struct cua_record *record, const char *line, size_t size);

#endif
