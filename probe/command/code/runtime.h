/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the CUDA version of a file, that is of the CUDA runtime that it needs. If the driver is too
 * old for this runtime, it returns 35. */
#ifndef CUA_CODE_RUNTIME_H
#define CUA_CODE_RUNTIME_H

#include "command/code/model.h"

/* Fills in runtime and runtime_by for the ELF file at `fd`. If the file needs libcudart, that
 * decides. If not, libcudart may be linked in statically, and the latest of these decides: NVIDIA's
 * libraries that the file needs, the file's own SONAME if it is one of them, and `made_by`, the
 * CUDA of the tools that made the code it registers (0: none). */
void cua_code_runtime(struct cua_code *code, int fd, unsigned made_by);

/* The CUDA whose nvcc writes this PTX version; 0: not known. */
unsigned cua_code_maker(unsigned ptx);

/* Whether the file of this name is one of NVIDIA's compilers. `writes_ptx` receives whether
 * programs get PTX from it. */
bool cua_code_is_compiler(const char *name, bool *writes_ptx);

#endif
