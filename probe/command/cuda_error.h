/* SPDX-License-Identifier: Apache-2.0 */
/* CUresult codes in words. Static text, no allocation; any thread. */
#ifndef CUA_CUDA_ERROR_H
#define CUA_CUDA_ERROR_H

/* The name of a CUresult, from the built-in list ("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"), "" unknown.
 */
const char *cua_cuda_error_name(int code);
/* What it means for somebody choosing a driver; "" unknown. */
const char *cua_cuda_error_meaning(int code);

#endif
