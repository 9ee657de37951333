/* SPDX-License-Identifier: Apache-2.0 */
/* What a command's own messages say about its driver. */
#ifndef CUA_DOCTOR_WORDS_H
#define CUA_DOCTOR_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Which of the errors that have to do with drivers a command's messages speak of. */
#define CUA_WORDS_COUNT 12
struct cua_words {
    bool said[CUA_WORDS_COUNT];
    bool undefined_symbol; /* ld.so: "undefined symbol: cu..." */
    bool not_preloaded;    /* ld.so: "...libcuarbiter.so... cannot be preloaded" */
    char line[2048];       /* an unfinished one */
    size_t length;
};

void cua_words_take(struct cua_words *words, const char *bytes, size_t count);
/* The code of a row of `said`. */
int cua_words_code(size_t row);

#endif
