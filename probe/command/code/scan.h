/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPU code in one file: an ELF file with containers of it ("fat binaries") in its sections, or
 * a loose .fatbin, .cubin or .ptx. Headers alone are read, by pread: nothing is mapped or unpacked.
 * Which modules a program uses, and what it compiles while it runs, is not known. Input is hostile
 * and bounded; what is kept of a file has one size.
 */
#ifndef CUA_CODE_SCAN_H
#define CUA_CODE_SCAN_H

#include "command/code/ends.h"
#include "command/status/report.h"

/* Looks at a regular file; target and each are the caller's, the rest is zero; `name` shows what is
 * a compiler or PTX. False, with the trouble, where it is not such a file. The descriptor stays the
 * caller's. */
bool cua_code_scan(struct cua_code *code, int fd, const char *name);

/* The GPU of a report that has the highest capability, and one of its libcudas (NULL: not known),
 * whose own compiler, beside it, is asked before the tables. */
void cua_code_target_of(struct cua_code_target *target, const struct cua_report *report,
                        const struct cua_umd *driver);

#endif
