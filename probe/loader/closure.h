/* SPDX-License-Identifier: Apache-2.0 */
/* What a library would bring in: its needs and theirs, in the order in which ld.so loads them. */
#ifndef CUA_CLOSURE_H
#define CUA_CLOSURE_H

#include "loader/requester.h"
#include "machine/subject.h"

/* Follows the needs of the library `name` as ld.so would load it into this process; stops at
 * libraries that are mapped already, and with a warning at 512 libraries. If libcuda.so.1 is among
 * the needs, writes the file that ld.so would take for it to `libcuda` (PATH_MAX; "" where it would
 * find none) and returns 1; returns 0 if libcuda is not among them, -errno if the library itself
 * cannot be found or read, -EAGAIN if something could not be asked that ld.so may find a moment
 * later. After 1 `needed` holds the libraries of the CUDA toolkit and those bound
 * to the kernel driver that come in with it, by path: the first CUA_NEEDED of them, each to be
 * freed; otherwise none. NULL ends it. `visit`, if it is not NULL, sees each library while it is
 * open, and without `elf` a name that is needed and not found, or damaged. Of another subject than
 * this process nothing is mapped. */
#define CUA_NEEDED 16
struct cua_elf;
typedef void cua_closure_visit(void *data, const char *name, struct cua_elf *elf);
int cua_loader_brings_libcuda(const struct cua_subject *subject,
                              const struct cua_requester *requester, const char *name,
                              char *libcuda, char *needed[CUA_NEEDED + 1], cua_closure_visit *visit,
                              void *data);

#endif
