/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUA_TOOLKIT_H
#define CUA_TOOLKIT_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/facts.h"
#include "machine/subject.h"

/* The CUDA version in the text of a toolkit's version.json; 0 if there is none. */
unsigned cua_toolkit_json(const char *text, size_t size);

/*
 * The CUDA version by the name of a runtime's file, 0 if it is another. libcudart.so.12.4.127 shows
 * all; `exact` is false where the name has the SONAME's version, which from 11 on names no minor
 * one: libcudart.so.12, libcudart-d0da41ae.so.11.0. */
unsigned cua_toolkit_file(const char *name, bool *exact);

/* `bound`, and the CUDA of the program: by what is mapped and by `needed`, else what the
 * environment and the image say. `needed`: the libraries that the one being loaded brings in and
 * that are not mapped yet, as ld.so would open them, NULL at the end; only runtimes count. NULL:
 * none, or nobody looked. A wheel's plain file (libcudart.so.12) is looked up in its site-packages.
 */
void cua_toolkit_gather(struct cua_facts *facts, const struct cua_subject *subject,
                        const char *const *needed);

#endif
