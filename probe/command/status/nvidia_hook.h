/* SPDX-License-Identifier: Apache-2.0 */
/* What NVIDIA's own hook, enable-cuda-compat of its container toolkit, would do with a what-if's
 * image on the what-if's machine: it puts the folder of the bundled driver first in the loader's
 * cache. See https://github.com/NVIDIA/nvidia-container-toolkit, cmd/nvidia-cdi-hook/cudacompat,
 * v1.17.5 to v1.20.0. */
#ifndef CUA_NVIDIA_HOOK_H
#define CUA_NVIDIA_HOOK_H

#include "facts/facts.h"
#include "machine/subject.h"

struct cua_nvidia_hook {
    const struct cua_umd
        *file; /* the file that it would make the loader's choice; NULL: it changes nothing */
    /* Versions from 1.17.5 on take the file, because its branch is above the kernel driver's. */
    bool by_branch;
    /* Versions from 1.20 on take the file: because its note lists the kernel driver's branch or, if
     * it has no note, for the same reason as by_branch. */
    bool by_note;
};

/* Predicts what the hook does. All facts about the image must have been gathered. */
void cua_nvidia_hook_find(struct cua_nvidia_hook *hook, const struct cua_facts *facts,
                          const struct cua_subject *subject);

/* Which versions take the file, by these two rules, such as "toolkit 1.17.5 and later". */
const char *cua_nvidia_hook_since(const struct cua_nvidia_hook *hook);

#endif
