/* SPDX-License-Identifier: Apache-2.0 */
/* Driver versions (384.81, 575.57.08) and CUDA versions (12.4, as 12040). */
#ifndef CUA_VERSION_H
#define CUA_VERSION_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_VERSION_TEXT 24

/* An unknown version has text "" and parts 0. The first number is the branch. */
struct cua_version {
    unsigned part[3];
    char text[CUA_VERSION_TEXT]; /* as it was written: 470.57.02 keeps its zero */
};

/* Parses two or three numbers joined by dots at the start of `s`; what follows must not be a digit,
 * a letter or a dot. Returns the number of characters read, 0 if there is no version. */
size_t cua_version_parse(struct cua_version *v, const char *s);

bool cua_version_known(const struct cua_version *v);

/* <0, 0, >0; a missing third part counts as 0. */
int cua_version_compare(const struct cua_version *a, const struct cua_version *b);

/* "12.4" or "12.4.1" to 12040, as cuDriverGetVersion answers; 0 if it is none. */
unsigned cua_cuda_parse(const char *s);
/* 12040 to "12.4". buf holds at least 12 bytes; returns buf. */
const char *cua_cuda_text(unsigned cuda, char *buf);

#endif
