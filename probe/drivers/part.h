/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a driver: one of its libraries other than libcuda. A part works with one driver version
 * only. The facts about a part hold that version as the kernel driver's, and the files of the part
 * as the UMDs. */
#ifndef CUA_PART_H
#define CUA_PART_H

#include "facts/facts.h"
#include "machine/subject.h"

struct cua_part {
    const char *stem;                 /* from the table in libraries.h */
    const struct cua_version *driver; /* the version that it must have */
    /* Looks for the libcuda of that version; NULL: there is none. */
    const struct cua_umd *(*umd)(void *data);
    void *data;
};

/* Puts `file`, which ld.so would take, into facts->loader. `file` is the path that this process
 * opens it by; "": none. */
void cua_part_loader(struct cua_facts *facts, const struct cua_part *part, const char *file);

/* Puts a trusted and undamaged stem.so.VERSION into facts->native: the one beside the libcuda of
 * that version, else one in any folder that is searched, else NULL. */
void cua_part_native(struct cua_facts *facts, const struct cua_subject *subject,
                     const struct cua_part *part);

/* The driver version at the end of a file name such as libnvidia-nvvm.so.550.163.01. A SONAME's
 * number such as ".so.4" is not a version. */
bool cua_part_named(const char *file, struct cua_version *version);

#endif
