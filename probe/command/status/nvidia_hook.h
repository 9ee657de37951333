/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts what NVIDIA's hook enable-cuda-compat, a part of its container toolkit, would do in a
 * what-if: an image and a machine that options name. The hook can put /usr/local/cuda/compat, the
 * folder of the image's own driver, first in ld.so's cache. See
 * https://github.com/NVIDIA/nvidia-container-toolkit, cmd/nvidia-cdi-hook/cudacompat, v1.17.5 to
 * v1.20.0. */
#ifndef CUA_NVIDIA_HOOK_H
#define CUA_NVIDIA_HOOK_H

#include "facts/facts.h"
#include "machine/subject.h"

struct cua_nvidia_hook {
    const struct cua_umd
        *file; /* the libcuda that the hook makes ld.so take; NULL: the hook changes nothing */
    /* Whether versions 1.17.5 to 1.19 of the toolkit take the file. They do if the file's branch
     * (the first number of its version) is above the kernel driver's. */
    bool by_branch;
    /* Whether versions from 1.20 on take the file. Some files have an ELF note that lists kernel
     * driver branches (elf/compat_note.h). With the note: true if the note lists the kernel
     * driver's branch and the file is newer than the kernel driver. Without the note: same as
     * `by_branch`. */
    bool by_note;
};

/* Fills in `hook`, with zeros if the hook changes nothing or the subject is no what-if. All facts
 * about the image must have been gathered. */
void cua_nvidia_hook_find(struct cua_nvidia_hook *hook, const struct cua_facts *facts,
                          const struct cua_subject *subject);

/* Returns which versions of the toolkit take the file, such as "container toolkit 1.20 and later".
 * hook->file must not be NULL. */
const char *cua_nvidia_hook_since(const struct cua_nvidia_hook *hook);

#endif
