/* SPDX-License-Identifier: Apache-2.0 */
#include "command/doctor/error_scan.h"

#include <stdio.h>
#include <string.h>

#include "cuarbiter/names.h"
#include "command/cuda_error.h"

/* The runtime's names and texts: driver_types.h and cudaGetErrorString of CUDA 13.0. The driver's
 * names are in cuda_errors.h. */
static const struct {
    int code;
    const char *runtime, *text;
} rows[CUA_SPOKEN_COUNT] = {
    {34, "cudaErrorStubLibrary", "CUDA driver is a stub library"},
    {35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient"},
    {36, "cudaErrorCallRequiresNewerDriver", "requires a newer CUDA driver"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {209, "cudaErrorNoKernelImageForDevice", "no kernel image is available"},
    {221, "cudaErrorJitCompilerNotFound", "PTX JIT compiler library not found"},
    {222, "cudaErrorUnsupportedPtxVersion", "PTX was compiled with an unsupported toolchain"},
    {802, "cudaErrorSystemNotReady", "system not yet initialized"},
    {803, "cudaErrorSystemDriverMismatch", "unsupported display driver / cuda driver"},
    {804, "cudaErrorCompatNotSupportedOnDevice",
     "forward compatibility was attempted on non supported HW"},
    {805, "cudaErrorMpsConnectionFailed", "MPS client failed to connect"},
    {999, "cudaErrorUnknown", "CUDA_ERROR_UNKNOWN"},
};

int cua_spoken_code(size_t row)
{
    return rows[row].code;
}

/* "error 803", "Error code: 803", "error=803", "returned 803": the number alone may mean anything.
 */
static bool says_number(const char *line, int code)
{
    static const char *const before[] = {"error", "code", "returned", "cuInit", "cudaError"};
    char number[16];
    int length = snprintf(number, sizeof(number), "%d", code);
    for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
        for (const char *at = line; (at = strcasestr(at, before[i]));) {
            at += strlen(before[i]);
            const char *digits = at + strspn(at, " :=#(0");
            if (!strncmp(digits, number, (size_t)length) && !strspn(digits + length, "0123456789."))
                return true;
        }
    return false;
}

static void take_line(struct cua_spoken *words, const char *line)
{
    const char *symbol = strstr(line, "undefined symbol: cu");
    /* Not cudaX or cublasX: those are the toolkit's. */
    if (symbol && symbol[20] >= 'A' && symbol[20] <= 'Z')
        words->undefined_symbol = true;
    if (strstr(line, "/" CUA_FILE_SHIM "' from ") && strstr(line, "cannot be preloaded"))
        words->not_preloaded = true;
    for (size_t i = 0; i < CUA_SPOKEN_COUNT; i++)
        if (strcasestr(line, rows[i].text) || strstr(line, rows[i].runtime) ||
            strstr(line, cua_cuda_error_name(rows[i].code)) || says_number(line, rows[i].code))
            words->said[i] = true;
}

void cua_spoken_take(struct cua_spoken *words, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '\n' && bytes[i])
            words->line[words->length++] = bytes[i];
        if (bytes[i] == '\n' || words->length == sizeof(words->line) - 1) {
            words->line[words->length] = '\0';
            take_line(words, words->line);
            words->length = 0;
        }
    }
}
