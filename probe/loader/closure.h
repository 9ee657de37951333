/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what a library would bring in: the libraries that it needs, and the libraries that these
 * need in turn, in the order in which ld.so loads them. The subject is the process that is examined
 * (machine/subject.h), the requester the object on whose behalf ld.so loads the library
 * (requester.h). */
#ifndef CUA_CLOSURE_H
#define CUA_CLOSURE_H

#include "loader/requester.h"
#include "machine/subject.h"

/* Finds out what the library `name` needs, directly or through other libraries, and which files
 * ld.so would take for these needs in the subject's process. Libraries that are mapped already
 * (mapped.h) are skipped, with their needs (only if the subject is this process; for another
 * subject no library counts as mapped). Stops, with a warning, after 512 libraries.
 *
 * Returns 1 if libcuda.so.1 is among the needs; then `libcuda` (PATH_MAX bytes) receives the file
 * that ld.so would take for it, "" if ld.so would find none. Returns 0 if libcuda is not among
 * them; -EAGAIN if a file could not be checked because of an error that may be temporary; another
 * -errno if the library `name` itself cannot be found or read, or if there is no memory.
 *
 * After 1, `needed` holds the paths of CUDA runtimes, and of libraries that work only with one
 * version of the kernel driver (CUA_LIBRARY_BOUND, cuarbiter/libraries.h), among `name` and what it
 * brings in: the first CUA_NEEDED of them, each to be freed, then NULL. After any other result it
 * holds only NULL.
 *
 * `visit`, unless it is NULL, is called for `name`, and for each library that `name` brings in
 * except libcuda.so.1. It receives the path and the open file. If the file is damaged, or if a
 * library that DT_NEEDED or DT_FILTER names is missing, it receives the requested name and NULL. If
 * `name` itself is missing, `visit` is not called. */
#define CUA_NEEDED 16
struct cua_elf;
typedef void cua_closure_visit(void *data, const char *name, struct cua_elf *elf);
int cua_loader_brings_libcuda(const struct cua_subject *subject,
                              const struct cua_requester *requester, const char *name,
                              char *libcuda, char *needed[CUA_NEEDED + 1], cua_closure_visit *visit,
                              void *data);

#endif
