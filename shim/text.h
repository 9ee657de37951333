/* SPDX-License-Identifier: Apache-2.0 */
/* String functions for the shim, because libc's may not be usable yet when the shim starts. */
#ifndef CUA_TEXT_H
#define CUA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t cua_length(const char *text);

/* A hash for table keys; never 0 or 1, which callers use for other purposes. */
uint64_t cua_key(const char *text);

bool cua_same(const char *a, const char *b);
bool cua_has(const char *text, char c);
bool cua_starts(const char *text, const char *head);

/* The part of the path after the last slash; all of it if it has none. */
const char *cua_file(const char *path);

/* Copies `length` bytes and adds no NUL; returns the address after the copy. */
char *cua_mempcpy(char *to, const char *from, size_t length);

#endif
