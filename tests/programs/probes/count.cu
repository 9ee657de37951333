/* SPDX-License-Identifier: Apache-2.0 */
/* What nvcc makes of a program: with cudart inside, with cudart beside it, with -lcuda. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#ifdef WITH_LCUDA
#include <cuda.h>
#endif

int main(void)
{
    int count = 0, version = 0;

#ifdef WITH_LCUDA
    printf("cuInit = %d\n", (int)cuInit(0));
#endif
    cudaError_t code = cudaGetDeviceCount(&count);
    cudaRuntimeGetVersion(&version);
    printf("runtime %d: cudaGetDeviceCount = %d, %s\n", version, (int)code, cudaGetErrorString(code));
    return code == cudaSuccess ? 0 : 1;
}
