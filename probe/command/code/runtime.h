/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the CUDA version of a file, which is that of the CUDA runtime that it needs. If the driver
 * is too old for the runtime, the runtime returns error 35. */
#ifndef CUA_CODE_RUNTIME_H
#define CUA_CODE_RUNTIME_H

#include "command/code/model.h"

/* Fills in runtime and runtime_by for the ELF file at `fd`, and calls code->needed for each library
 * that the file needs. If it needs libcudart, that alone decides. If not, libcudart may be linked
 * in statically. Then the latest CUDA of these decides: NVIDIA's libraries that the file needs; the
 * file's own SONAME if it is one of them; and `made_by`, the CUDA of the tools that made the GPU
 * code it registers (0: none), of which from CUDA 11 on only the major counts. */
void cua_code_runtime(struct cua_code *code, int fd, unsigned made_by);

/* The earliest CUDA whose nvcc writes this PTX version or a later one; if the table has none, its
 * last CUDA. */
unsigned cua_code_maker(unsigned ptx);

/* Whether a file of this name is one of NVIDIA's compilers or tools for GPU code. If it is a
 * compiler that gives PTX to programs, sets *writes_ptx; otherwise leaves that unchanged. */
bool cua_code_is_compiler(const char *name, bool *writes_ptx);

#endif
