/* SPDX-License-Identifier: Apache-2.0 */
/* Linked with a real static CUDA runtime, as nvcc links by default. */
#include <stddef.h>

#include "report.h"

int cudaGetDeviceCount(int *count);
const char *cudaGetErrorString(int code);

int main(void)
{
    int count = 0, code = cudaGetDeviceCount(&count);

    cua_report_more("says", cudaGetErrorString(code));
    return cua_report("static-cudart", "cudaGetDeviceCount", code, NULL);
}
