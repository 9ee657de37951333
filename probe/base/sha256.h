/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4). Implemented here because libcrypto is missing on some systems, and no
 * library that cuarbiter links statically has SHA-256. */
#ifndef CUA_SHA256_H
#define CUA_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUA_SHA256_TEXT 65 /* 64 lower-case hexadecimal digits and a NUL */

struct cua_sha256 {
    uint32_t state[8];
    uint64_t size;
    unsigned char block[64];
};

void cua_sha256_begin(struct cua_sha256 *sum);
void cua_sha256_add(struct cua_sha256 *sum, const void *bytes, size_t size);
/* Ends the sum and writes it to `text`, which has CUA_SHA256_TEXT bytes. */
void cua_sha256_end(struct cua_sha256 *sum, char *text);

/* Whether a text is a SHA-256 sum: 64 hexadecimal digits in lower case. */
bool cua_sha256_is(const char *text);

/* Computes the sum of an open file, from its start, and writes it to `text`. Returns 0 or
 * -errno. */
int cua_sha256_file(int fd, char *text);

#endif
