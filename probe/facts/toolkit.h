/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUA_TOOLKIT_H
#define CUA_TOOLKIT_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/facts.h"
#include "machine/subject.h"

/* Returns the CUDA version in the text of a toolkit's version.json; 0 if there is none. */
unsigned cua_toolkit_json(const char *text, size_t size);

/* Returns the CUDA version in the name of a runtime's file; 0 if it is another file. `exact`: the
 * name shows the whole version, as in libcudart.so.12.4.127. Otherwise it shows the SONAME's
 * version, which from CUDA 11 on has no minor: libcudart.so.12, libcudart-d0da41ae.so.11.0. */
unsigned cua_toolkit_file(const char *name, bool *exact);

/* Fills in `bound`, `decoder` and `toolkit` of the facts. The program's CUDA is found by the
 * libraries that it has mapped and by `needed`; else by CUDA_VERSION. `needed`: paths of libraries
 * that are about to be mapped together with the one that is being loaded, then NULL. It may itself
 * be NULL if there are none or they are not known. If a runtime comes from a Python wheel, its file
 * name has only the major (libcudart.so.12); then the version is looked up in the wheel's
 * site-packages. */
void cua_toolkit_gather(struct cua_facts *facts, const struct cua_subject *subject,
                        const char *const *needed);

/* For a program about which nothing else is known: cua_toolkit_has_image says whether the image has
 * a toolkit with a version.json, and cua_toolkit_image takes the CUDA from that file. Call
 * cua_toolkit_has_image first. */
bool cua_toolkit_has_image(const struct cua_subject *subject);
void cua_toolkit_image(struct cua_toolkit *toolkit, const struct cua_subject *subject);

#endif
