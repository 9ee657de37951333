/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the CUDA version of a file, which is that of the CUDA runtime that it needs. If the driver
 * is too old for the runtime, the runtime returns 35. */
#ifndef CUA_CODE_RUNTIME_H
#define CUA_CODE_RUNTIME_H

#include "command/code/model.h"

/* Fills in runtime and runtime_by for the ELF file at `fd`. If the file needs libcudart, that alone
 * decides. If not, libcudart may be linked in statically. Then the latest CUDA of these decides:
 * NVIDIA's libraries that the file needs, the file's own SONAME if it is one of them, and
 * `made_by`, the CUDA of the tools that made the code it registers (0: none). */
void cua_code_runtime(struct cua_code *code, int fd, unsigned made_by);

/* The CUDA whose nvcc writes this PTX version; 0: not known. */
unsigned cua_code_maker(unsigned ptx);

/* Whether a file of this name is one of NVIDIA's compilers. `writes_ptx` receives whether the
 * compiler gives PTX to programs. */
bool cua_code_is_compiler(const char *name, bool *writes_ptx);

#endif
