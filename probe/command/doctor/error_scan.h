/* SPDX-License-Identifier: Apache-2.0 */
/* What a command's own messages say about its driver. */
#ifndef CUA_DOCTOR_SPOKEN_H
#define CUA_DOCTOR_SPOKEN_H

#include <stdbool.h>
#include <stddef.h>

/* Which of the errors that have to do with drivers a command's messages speak of. */
#define CUA_SPOKEN_COUNT 12
struct cua_spoken {
    bool said[CUA_SPOKEN_COUNT];
    bool undefined_symbol; /* ld.so: "undefined symbol: cu..." */
    bool not_preloaded;    /* ld.so: "...libcuarbiter.so... cannot be preloaded" */
    char line[2048];       /* an unfinished one */
    size_t length;
};

void cua_spoken_take(struct cua_spoken *words, const char *bytes, size_t count);
/* The code of a row of `said`. */
int cua_spoken_code(size_t row);

#endif
