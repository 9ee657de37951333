/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which of the staged files are kept. */
#ifndef CUA_FINISH_H
#define CUA_FINISH_H

#include "drivers/identity.h"
#include "elf/file.h"
#include "store/stage.h"

/* Keeps the one staged driver that this machine can load, with its companions, under their own
 * names and their SONAMEs. Fills in the manifest's version and files. False, with the reason in the
 * store. */
bool cua_stage_finish(struct cua_stage *stage, struct cua_manifest *manifest);

#endif
