/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what a library would bring in: the libraries that it needs, and those that they need, in
 * the order in which ld.so loads them. */
#ifndef CUA_CLOSURE_H
#define CUA_CLOSURE_H

#include "loader/requester.h"
#include "machine/subject.h"

/* Follows the needs of the library `name` as ld.so would when it loads the library into this
 * process. Skips libraries that are mapped already; stops, with a warning, at 512 libraries.
 *
 * Returns 1 if libcuda.so.1 is among the needs; then `libcuda` (PATH_MAX bytes) receives the file
 * that ld.so would take for it, "" if it would find none. Returns 0 if libcuda is not among them,
 * -errno if the library itself cannot be found or read, and -EAGAIN if something could not be
 * checked now that ld.so may find a moment later.
 *
 * After 1, `needed` holds paths of libraries that come in with it and belong to the CUDA toolkit or
 * are bound to the kernel driver: the first CUDA_NEEDED of them, each to be freed, then NULL.
 * Otherwise it is empty. `visit`, if it is not NULL, is called for each library while that is open;
 * for a needed library that is missing or damaged it is called without `elf`. In a subject other
 * than this process no library counts as mapped. */
#define CUA_NEEDED 16
struct cua_elf;
typedef void cua_closure_visit(void *data, const char *name, struct cua_elf *elf);
int cua_loader_brings_libcuda(const struct cua_subject *subject,
                              const struct cua_requester *requester, const char *name,
                              char *libcuda, char *needed[CUA_NEEDED + 1], cua_closure_visit *visit,
                              void *data);

#endif
