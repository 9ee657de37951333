/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what a library would bring in: the libraries that it needs, and the libraries that these
 * need in turn, in the order in which ld.so loads them. The subject is the process that is examined
 * (machine/subject.h). The requester is the object on whose behalf ld.so loads the library
 * (requester.h). As a subject, "this process" means the process that asks (machine/asker.h), if
 * there is one. */
#ifndef CUA_CLOSURE_H
#define CUA_CLOSURE_H

#include "loader/requester.h"
#include "machine/subject.h"

/* Finds out what the library `name` needs, directly or through other libraries, and which files
 * ld.so would take for these needs in the subject's process. Skips libraries that are mapped
 * already (mapped.h), and their needs. If the subject is not this process, no library counts as
 * mapped. Stops, with a warning, after 512 libraries.
 *
 * Returns:
 * - 1 if libcuda.so.1 is among the needs. `libcuda` (PATH_MAX bytes) then receives the file that
 *   ld.so would take for it, or "" if ld.so would find none.
 * - 0 if libcuda.so.1 is not among the needs, or is mapped already.
 * - -EAGAIN if a file could not be checked because of an error that may be temporary.
 * - Another -errno if `name` itself cannot be found or opened, even if that may be temporary; if
 *   `name` is damaged; or if there is no memory.
 *
 * `needed`: after 1, receives the paths of at most CUA_NEEDED libraries, each to be freed, then
 * NULL: those of `name` and its needs whose file names `keep` chooses (NULL: none). After any other
 * result, `needed` holds only NULL.
 *
 * `visit`: NULL, or called for `name` and for each library that `name` brings in, except
 * libcuda.so.1. Receives the path and the open file. For a damaged file, and for a missing library
 * of DT_NEEDED or DT_FILTER, receives the requested name and NULL. If `name` itself is missing,
 * `visit` is not called. */
#define CUA_NEEDED 32
struct cua_elf;
typedef void cua_closure_visit(void *data, const char *name, struct cua_elf *elf);
int cua_loader_brings_libcuda(const struct cua_subject *subject,
                              const struct cua_requester *requester, const char *name,
                              char *libcuda, bool (*keep)(const char *base),
                              char *needed[CUA_NEEDED + 1], cua_closure_visit *visit, void *data);

#endif
