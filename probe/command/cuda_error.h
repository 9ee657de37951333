/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA errors, from data/errors.tsv, and how to recognize them in the output of programs. Static
 * text, no allocation; any thread may use it. */
#ifndef CUA_CUDA_ERROR_H
#define CUA_CUDA_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_CUDA_ERRORS_MOST 256

/* A row of the table. A text that does not exist is "". */
struct cua_cuda_error {
    int code;
    const char *driver, *runtime; /* names of the error: CUDA_ERROR_NO_DEVICE, cudaErrorNoDevice */
    const char *message;          /* the text of cudaGetErrorString */
    /* What the error means for a user who chooses a driver; "": it has nothing to do with that. */
    const char *meaning;
    const char *help;
};

/* Sorted by number; made from the table by scripts/make-tables. */
extern const struct cua_cuda_error cua_cuda_errors[];
extern const size_t cua_cuda_error_count;

/* Returns NULL if there is no such error. */
const struct cua_cuda_error *cua_cuda_error_find(int code);

/* The driver's name of an error, else the runtime's, else "". */
const char *cua_cuda_error_name(int code);

/* The error that a line shows, by name, message or number ("error 803"); NULL: none. `sure`: the
 * line may come from any program, so a doubtful match must not count. Then names, messages of at
 * most three words and numbers below 800 count only if the line mentions CUDA or one of its
 * functions, and a part of a message does not count. */
const struct cua_cuda_error *cua_cuda_error_in(const char *line, bool sure);

#endif
