/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the CUDA version of a file: the version of the CUDA runtime that the file needs. If the
 * driver is too old for that runtime, the runtime returns error 35. */
#ifndef CUA_CODE_RUNTIME_H
#define CUA_CODE_RUNTIME_H

#include "command/code/model.h"

/* Fills in runtime and runtime_by for the ELF file at `fd`, and calls code->needed for each library
 * that the file needs. If the file needs libcudart, that alone decides. Otherwise libcudart may be
 * linked in statically, and the latest CUDA of these decides:
 * - NVIDIA's libraries that the file needs;
 * - the file's own SONAME, if it is the name of such a library;
 * - `made_by`: the CUDA of the tools that made the GPU code it registers (0: none). From CUDA 11 on
 *   only its major counts. */
void cua_code_runtime(struct cua_code *code, int fd, unsigned made_by);

/* The earliest CUDA whose nvcc writes this PTX version or a later one; if the table has none, its
 * last CUDA. */
unsigned cua_code_maker(unsigned ptx);

/* Whether a file of this name is one of NVIDIA's compilers or tools for GPU code. If it is a
 * compiler that gives PTX to programs, sets *writes_ptx; otherwise leaves that unchanged. */
bool cua_code_is_compiler(const char *name, bool *writes_ptx);

#endif
