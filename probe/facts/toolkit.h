/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUA_TOOLKIT_H
#define CUA_TOOLKIT_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/facts.h"
#include "machine/subject.h"

/* The CUDA version in the text of a toolkit's version.json; 0 if there is none. */
unsigned cua_toolkit_json(const char *text, size_t size);

/* The CUDA version in the name of a runtime's file; 0 if it is another file. libcudart.so.12.4.127
 * shows the whole version. `exact` is false if the name only has the SONAME's version, which from
 * 11 on shows no minor version: libcudart.so.12, libcudart-d0da41ae.so.11.0. */
unsigned cua_toolkit_file(const char *name, bool *exact);

/* Fills in `bound`, `decoder`, and the CUDA of the program: by what is mapped and by `needed`, else
 * by CUDA_VERSION. `needed`: the libraries, not mapped yet, that come in with the library being
 * loaded, as ld.so would open them, then NULL; only runtimes count. `needed` NULL: none, or not
 * known. For a plain file of a wheel (libcudart.so.12) the version is looked up in its
 * site-packages. */
void cua_toolkit_gather(struct cua_facts *facts, const struct cua_subject *subject,
                        const char *const *needed);

/* cua_toolkit_image: takes the CUDA from the version.json of the image's toolkit, for programs
 * about which nothing else is known. Call cua_toolkit_has_image first, which says whether there is
 * one. */
bool cua_toolkit_has_image(const struct cua_subject *subject);
void cua_toolkit_image(struct cua_toolkit *toolkit, const struct cua_subject *subject);

#endif
