/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for text in buffers of fixed size. A text that does not fit is reported, never cut
 * silently. */
#ifndef CUA_TEXT_H
#define CUA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* cua_copy copies `s`, cua_copy_n its first `length` characters. False, with "" in `out`, if they
 * do not fit. */
bool cua_copy(char *out, size_t size, const char *s);
bool cua_copy_n(char *out, size_t size, const char *s, size_t length);

/* Writes `folder`/`name` with exactly one slash between them. False, with "" in `out`, if it does
 * not fit. `out` may be `folder`. */
bool cua_join(char *out, size_t size, const char *folder, const char *name);

/* Appends `s` to the text in `out`. False, with `out` unchanged, if it does not fit. */
bool cua_append(char *out, size_t size, const char *s);

bool cua_starts(const char *s, const char *prefix);
bool cua_ends(const char *s, const char *suffix);

/* The hash FNV-1a. */
uint64_t cua_hash(const char *s);

/* Returns the part of `path` after the last slash; all of it if it has none. */
const char *cua_basename(const char *path);

/* Whether `folder` is `path` itself or lies above it. Compares whole path components; `folder` has
 * no slash at its end. */
bool cua_below(const char *path, const char *folder);

/* Returns the index of `word` in `words`; -1 if it is not among them. */
int cua_find(const char *const *words, size_t count, const char *word);

/* Returns the value of the variable `name` in `env`; NULL if it is not set. */
const char *cua_env_value(char *const *env, const char *name);

#endif
