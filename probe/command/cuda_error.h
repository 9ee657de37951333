/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA errors: data/errors.tsv, and how lines of programs name them. Static text, no allocation;
 * any thread. */
#ifndef CUA_CUDA_ERROR_H
#define CUA_CUDA_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_CUDA_ERRORS_MOST 256

/* A text that does not exist is "". */
struct cua_cuda_error {
    int code;
    const char *driver, *runtime; /* names: CUDA_ERROR_NO_DEVICE, cudaErrorNoDevice */
    const char *message;          /* cudaGetErrorString's */
    const char *meaning;          /* for somebody who chooses a driver; "": no known link to that */
    const char *help;
};

/* By number, made from the table by scripts/make-tables. */
extern const struct cua_cuda_error cua_cuda_errors[];
extern const size_t cua_cuda_error_count;

/* NULL where there is no such error. */
const struct cua_cuda_error *cua_cuda_error_find(int code);

/* The driver's name of an error, else the runtime's, else "". */
const char *cua_cuda_error_name(int code);

/* The error that a line names: by a name, by the message or by a number ("error 803"); else NULL.
 * `sure` is for lines that may be about anything: a short message ("unknown error") or a small
 * number then counts beside the word CUDA alone, and a part of a message never. */
const struct cua_cuda_error *cua_cuda_error_in(const char *line, bool sure);

#endif
