/* SPDX-License-Identifier: Apache-2.0 */
/* A folder that stands for a machine's root, made for one test and removed after it. A step that
 * fails ends the test program: nothing after it would mean anything. */
#ifndef CUA_TEST_ROOT_H
#define CUA_TEST_ROOT_H

#include <stddef.h>

/* An absolute path; belongs to the test until root_remove. */
char *root_make(void);
void root_remove(char *root);

/* `path` starts with a slash and is taken below the root; folders above it are made. */
void root_folder(const char *root, const char *path);
void root_text(const char *root, const char *path, const char *text);
void root_bytes(const char *root, const char *path, const void *bytes, size_t size);
void root_copy(const char *root, const char *path, const char *source);
void root_link(const char *root, const char *path, const char *target);
void root_fifo(const char *root, const char *path);
void root_mode(const char *root, const char *path, unsigned mode);

/* A whole file, with a size; to be freed. */
char *file_read(const char *path, size_t *size);

/* A library of tests/unit/lib that the build made; overwritten by the next call. */
const char *lib_path(const char *name);

#endif
