/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts what NVIDIA's own hook, enable-cuda-compat of its container toolkit, would do with the
 * image of a what-if (an image and a machine that options name): it puts the folder of the bundled
 * driver first in the loader's cache. See https://github.com/NVIDIA/nvidia-container-toolkit,
 * cmd/nvidia-cdi-hook/cudacompat, v1.17.5 to v1.20.0. */
#ifndef CUA_NVIDIA_HOOK_H
#define CUA_NVIDIA_HOOK_H

#include "facts/facts.h"
#include "machine/subject.h"

struct cua_nvidia_hook {
    const struct cua_umd
        *file; /* the file that the hook would make the loader's choice; NULL: it changes nothing */
    /* Versions 1.17.5 to 1.19 of the toolkit take the file: its branch is above the kernel
     * driver's. */
    bool by_branch;
    /* Versions from 1.20 on take the file: its note lists the kernel driver's branch, and its
     * version is higher than the kernel driver's; or it has no note, and `by_branch` is true. */
    bool by_note;
};

/* Fills in `hook`, with zeros if the hook changes nothing or the subject is no what-if. All facts
 * about the image must have been gathered. */
void cua_nvidia_hook_find(struct cua_nvidia_hook *hook, const struct cua_facts *facts,
                          const struct cua_subject *subject);

/* Which versions take the file, by the two members above, such as "container toolkit 1.20 and
 * later". */
const char *cua_nvidia_hook_since(const struct cua_nvidia_hook *hook);

#endif
