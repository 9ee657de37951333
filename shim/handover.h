/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the first run tells the second one, written behind the UMD's path in LD_PRELOAD as colons
 * and spaces, a bit each: ld.so skips any number of them. No variable of our own, which children
 * and /proc/PID/environ would show; and no user's LD_PRELOAD ends in these.
 */
#ifndef CUA_HANDOVER_H
#define CUA_HANDOVER_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_HANDOVER_ADDED 1 /* there was no LD_PRELOAD: two entries stand at the end */
#define CUA_HANDOVER_NAME  2 /* comm has to be set again */
#define CUA_HANDOVER_FILE  4 /* AT_EXECFN too */

#define CUA_HANDOVER_NAME_MAX 16

struct cua_handover {
    unsigned char what;
    char name[CUA_HANDOVER_NAME_MAX]; /* NUL-padded */
    const char *file;                 /* decoding: in memory that lives for ever; NULL: none */
};

/* Characters that cua_handover_write will write. */
size_t cua_handover_length(const struct cua_handover *handover);

char *cua_handover_write(char *to, const struct cua_handover *handover);

/* Reads the handover at the end of `value`. False: it has none. */
bool cua_handover_read(const char *value, struct cua_handover *handover);

#endif
