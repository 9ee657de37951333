/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which of the staged files (stage.h) become the driver. */
#ifndef CUA_FINISH_H
#define CUA_FINISH_H

#include "drivers/identity.h"
#include "elf/file.h"
#include "store/stage.h"

/* Keeps the one libcuda that this machine can load, with its companions and a licence, and makes
 * links for their SONAMEs. Deletes all other staged files. Fills in the manifest's version and
 * files, and the stage's version and CUDA. False, with the reason in stage->store->why: a step
 * failed, this machine can load none of the staged libcudas or two that differ, or a companion (a
 * library that libcuda opens, such as the PTX compiler) is missing. */
bool cua_stage_finish(struct cua_stage *stage, struct cua_manifest *manifest);

#endif
