/* SPDX-License-Identifier: Apache-2.0 */
#include "command/doctor/error_scan.h"

#include <string.h>

#include "cuarbiter/names.h"

static void take_line(struct cua_error_scan *scan, const char *line)
{
    const struct cua_cuda_error *error = cua_cuda_error_in(line, true);
    const char *symbol = strstr(line, "undefined symbol: cu");

    /* The names of libcuda's functions have a capital letter after "cu"; cudaX, cublasX and the
     * like belong to the toolkit. */
    if (symbol && symbol[20] >= 'A' && symbol[20] <= 'Z')
        scan->undefined_symbol = true;
    if (strstr(line, "/" CUA_FILE_SHIM "' from ") && strstr(line, "cannot be preloaded"))
        scan->not_preloaded = true;
    if (error && error->code && error->meaning[0])
        scan->found[error - cua_cuda_errors] = true;
}

void cua_error_scan_take(struct cua_error_scan *scan, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '\n' && bytes[i])
            scan->line[scan->length++] = bytes[i];
        if (bytes[i] == '\n' || scan->length == sizeof(scan->line) - 1) {
            scan->line[scan->length] = '\0';
            take_line(scan, scan->line);
            scan->length = 0;
        }
    }
}
