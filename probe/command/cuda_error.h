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
    const char *driver, *runtime; /* its names: CUDA_ERROR_NO_DEVICE, cudaErrorNoDevice */
    const char *message;          /* the text of cudaGetErrorString */
    /* What the error means for somebody who chooses a driver; "": the error does not depend on the
     * driver. */
    const char *meaning;
    const char *help;
};

/* The table, sorted by number; scripts/make-tables generates it from data/errors.tsv. */
extern const struct cua_cuda_error cua_cuda_errors[];
extern const size_t cua_cuda_error_count;

/* The row of an error number; NULL if there is none. */
const struct cua_cuda_error *cua_cuda_error_find(int code);

/* The driver's name of an error, else the runtime's, else "". */
const char *cua_cuda_error_name(int code);

/* The error that a line shows, by name, message or number ("error 803"); NULL: none.
 * - `sure`: for lines that may come from any program. A message of at most three words, or a number
 *   below 800, counts only if the line mentions CUDA or one of its functions.
 * - not `sure`: for lines that a user gives. Every message and number counts. A line that is only a
 *   part of a message counts too, if it has ten characters or more. */
const struct cua_cuda_error *cua_cuda_error_in(const char *line, bool sure);

#endif
