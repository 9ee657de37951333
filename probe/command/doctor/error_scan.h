/* SPDX-License-Identifier: Apache-2.0 */
/* Finds in what a command prints the errors that have to do with its driver. */
#ifndef CUA_DOCTOR_ERROR_SCAN_H
#define CUA_DOCTOR_ERROR_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "command/cuda_error.h"

struct cua_error_scan {
    bool found[CUA_CUDA_ERRORS_MOST]; /* errors that have to do with drivers, by row */
    bool undefined_symbol;            /* ld.so: "undefined symbol: cu..." */
    bool not_preloaded;               /* ld.so: "...libcuarbiter.so... cannot be preloaded" */
    char line[2048];                  /* an unfinished one */
    size_t length;
};

void cua_error_scan_take(struct cua_error_scan *scan, const char *bytes, size_t count);

#endif
