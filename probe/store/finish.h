/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which of the staged files (stage.h) become the driver: libcuda, a licence, and libcuda's
 * companions, which are the libraries that it opens, such as the PTX compiler. */
#ifndef CUA_FINISH_H
#define CUA_FINISH_H

#include "drivers/identity.h"
#include "elf/file.h"
#include "store/stage.h"

/* Keeps the one libcuda that this machine can load, the companions that lie in its folder, and a
 * licence. Makes links for their SONAMEs, and deletes all other staged files. Fills in the
 * manifest's version and files, and the stage's version and CUDA.
 *
 * Returns false, with the reason in stage->store->why, if a step fails, or if
 * - this machine can load none of the staged libcudas, or two that differ;
 * - libcuda is Tegra's;
 * - its version is not known, or its name and its content show different versions;
 * - a companion is missing that libcuda needs to compile PTX. */
bool cua_stage_finish(struct cua_stage *stage, struct cua_manifest *manifest);

#endif
