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
 * name. `exact` receives whether the name shows the whole version, as libcudart.so.12.4.127 does
 * and, before CUDA 11, libcudart.so.10.2. libcudart.so.12 and libcudart-d0da41ae.so.11.0 show only
 * the major; the results are 12000 and 11000. */
unsigned cua_toolkit_file(const char *name, bool *exact);

/* Fills in `bound`, `decoder` and `toolkit` of the facts. The program's CUDA is that of the
 * runtimes among the libraries that it has mapped and among `needed`. If there are none, or if the
 * subject is a what-if, it is from CUDA_VERSION. `needed`: paths of the libraries that are loaded
 * together with the requested one, then NULL; the pointer itself is NULL if they are not known. */
void cua_toolkit_gather(struct cua_facts *facts, const struct cua_subject *subject,
                        const char *const *needed);

/* Whether a library of this file name counts in cua_toolkit_gather. */
bool cua_toolkit_counts(const char *base);

/* Whether the image has a toolkit's version.json, on the mount of its root. True also if that
 * cannot be found out (cua_subject_is_near). */
bool cua_toolkit_has_image(const struct cua_subject *subject);
/* Takes the CUDA from version.json, for a program whose CUDA is not known otherwise. Call this only
 * if cua_toolkit_has_image is true: a file on another mount is not the image's, and reading it
 * could block. */
void cua_toolkit_image(struct cua_toolkit *toolkit, const struct cua_subject *subject);

#endif
