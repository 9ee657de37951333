/* SPDX-License-Identifier: Apache-2.0 */
/* Driver versions such as 384.81 and 575.57.08, and CUDA versions: 12.4 is the number 12040. */
#ifndef CUA_VERSION_H
#define CUA_VERSION_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_VERSION_TEXT 24

/* A driver version. Its first part is the driver branch. If the version is unknown, the text is ""
 * and the parts are 0. */
struct cua_version {
    unsigned part[3];
    char text[CUA_VERSION_TEXT]; /* as it was written, for example 470.57.02 with the zero */
};

/* Parses a version at the start of `s`: two or three numbers with dots between them, not followed
 * by a letter, '_' or a dot. Returns the number of characters read; 0 if there is no version. */
size_t cua_version_parse(struct cua_version *v, const char *s);

/* Parses all of `s` as a driver version in NVIDIA's form since 2007, such as 96.43, 535.161.07 or
 * 540.4.0. The branch has two or three digits, the second part up to three, the third part up to
 * two. The third part may be missing. False if `s` has another form. */
bool cua_version_of_driver(struct cua_version *v, const char *s);

bool cua_version_known(const struct cua_version *v);

/* Returns <0, 0 or >0 if `a` is less than, equal to or greater than `b`. A missing third part
 * counts as 0. */
int cua_version_compare(const struct cua_version *a, const struct cua_version *b);

/* Converts a CUDA version at the start of `s`, such as "12.4" or "12.4.1", to 12040, the form of
 * cuDriverGetVersion; 0 if there is none. */
unsigned cua_cuda_parse(const char *s);
/* Whether a driver with the CUDA `own` starts programs of `cuda`; otherwise their runtime returns
 * error 35. From CUDA 11 on only the major counts. */
bool cua_cuda_starts(unsigned own, unsigned cuda);
/* Writes 12040 as "12.4" to `buf`, which has at least 12 bytes. Returns `buf`. */
const char *cua_cuda_text(unsigned cuda, char *buf);

#endif
