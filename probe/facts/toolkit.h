/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the CUDA version that the program needs: by its runtimes (libcudart), or else by what its
 * image declares. The program is the subject (machine/subject.h): a process, or an unpacked image
 * or machine that is only described (a what-if). */
#ifndef CUA_TOOLKIT_H
#define CUA_TOOLKIT_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/facts.h"
#include "machine/subject.h"

/* Returns the CUDA version in `text`, the content of a toolkit's version.json; 0 if there is
 * none. */
unsigned cua_toolkit_json(const char *text, size_t size);

/* Returns the CUDA version in the file name of a runtime (libcudart); 0 if it is another file's
 * name. `exact` receives whether the name shows the whole version, as libcudart.so.12.4.127 does.
 * Otherwise it shows the SONAME's version, of which from CUDA 11 on only the major counts:
 * libcudart.so.12, or libcudart-d0da41ae.so.11.0 for any 11.x. */
unsigned cua_toolkit_file(const char *name, bool *exact);

/* Fills in `bound`, `decoder` and `toolkit` of the facts. The program's CUDA is found by the
 * runtimes among the libraries that it has mapped and among `needed`; if there are none, or if the
 * subject is a what-if, by CUDA_VERSION. `needed`: paths of libraries that are about to be mapped
 * together with the one that is being loaded, then NULL. `needed` itself is NULL if there are none
 * or they are not known. If a runtime comes from a Python wheel, its file name has only the major
 * (libcudart.so.12); then the version is looked up in the wheel's site-packages. */
void cua_toolkit_gather(struct cua_facts *facts, const struct cua_subject *subject,
                        const char *const *needed);

/* Both are for a program whose CUDA is not known otherwise. cua_toolkit_has_image: whether the
 * image has a toolkit's version.json, on the mount of its root. cua_toolkit_image: takes the CUDA
 * from that file. Call it only if cua_toolkit_has_image is true: a file on another mount is not the
 * image's, and reading it could block. */
bool cua_toolkit_has_image(const struct cua_subject *subject);
void cua_toolkit_image(struct cua_toolkit *toolkit, const struct cua_subject *subject);

#endif
