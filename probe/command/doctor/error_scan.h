/* SPDX-License-Identifier: Apache-2.0 */
/* Finds errors that concern the driver in what a command writes to stderr. */
#ifndef CUA_DOCTOR_ERROR_SCAN_H
#define CUA_DOCTOR_ERROR_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "command/cuda_error.h"

struct cua_error_scan {
    /* found[i]: the command printed the error cua_cuda_errors[i]. Set only for errors with a
     * `meaning`, which matter for the choice of a driver. */
    bool found[CUA_CUDA_ERRORS_MOST];
    /* A line contained "undefined symbol: cuX", with a capital letter X: ld.so did not find a
     * function of libcuda. */
    bool undefined_symbol;
    /* ld.so printed that a file ".../libcuarbiter.so", named by LD_PRELOAD or /etc/ld.so.preload,
     * cannot be preloaded. */
    bool not_preloaded;
    char line[2048]; /* the line that is not complete yet */
    size_t length;
};

void cua_error_scan_take(struct cua_error_scan *scan, const char *bytes, size_t count);

#endif
