/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded text: what does not fit is reported, never cut in silence. */
#ifndef CUA_TEXT_H
#define CUA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies `s`; false, and "" in `out`, where it does not fit. */
bool cua_copy(char *out, size_t size, const char *s);
bool cua_copy_n(char *out, size_t size, const char *s, size_t length);

/* `folder`/`name`, with one slash between; false, and "" in `out`, where it does not fit. `out`
 * may be `folder`. */
bool cua_join(char *out, size_t size, const char *folder, const char *name);

/* Appends; false, and `out` as it was, where it does not fit. */
bool cua_append(char *out, size_t size, const char *s);

bool cua_starts(const char *s, const char *prefix);
bool cua_ends(const char *s, const char *suffix);

/* FNV-1a. */
uint64_t cua_hash(const char *s);

/* What follows the last slash. */
const char *cua_basename(const char *path);

/* Whether `folder` is `path` or lies above it: whole components, no slash at its end. */
bool cua_below(const char *path, const char *folder);

/* The place of `word` among these, -1 where it is none of them. */
int cua_find(const char *const *words, size_t count, const char *word);

/* The value of a variable in `env`, or NULL. */
const char *cua_env_value(char *const *env, const char *name);

#endif
