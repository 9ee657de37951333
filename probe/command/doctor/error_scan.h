/* SPDX-License-Identifier: Apache-2.0 */
/* Finds errors that concern the driver in the output of a command. */
#ifndef CUA_DOCTOR_ERROR_SCAN_H
#define CUA_DOCTOR_ERROR_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "command/cuda_error.h"

struct cua_error_scan {
    bool found[CUA_CUDA_ERRORS_MOST]; /* by row of cua_cuda_errors: errors that drivers can cause */
    bool undefined_symbol;            /* ld.so printed "undefined symbol: cu..." */
    /* ld.so printed "...libcuarbiter.so... cannot be preloaded". */
    bool not_preloaded;
    char line[2048]; /* the line that is not complete yet */
    size_t length;
};

void cua_error_scan_take(struct cua_error_scan *scan, const char *bytes, size_t count);

#endif
