/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a driver: one of its libraries other than libcuda. A part works with one driver version
 * only. The rules (rules/rules.h) judge a part by a struct cua_facts of its own: there `kmd` has
 * the version that the part must have, and `umds` are the files of the part. The loader's choice is
 * the file that ld.so alone would take. A file is usable if its state is CUA_UMD_USABLE, and
 * trusted if only root and the caller could have put it there (machine/trust.h). */
#ifndef CUA_PART_H
#define CUA_PART_H

#include "facts/facts.h"
#include "machine/subject.h"

struct cua_part {
    const char *stem;                 /* file name before ".so", from the table in libraries.h */
    const struct cua_version *driver; /* the version that the part must have */
    /* Returns the libcuda of that version, or NULL. */
    const struct cua_umd *(*umd)(void *data);
    void *data;
};

/* Sets facts->loader to `file`: the path of the loader's choice, as this process can open it. If
 * `file` is "" or does not exist, facts->loader stays as it is. */
void cua_part_loader(struct cua_facts *facts, const struct cua_part *part, const char *file);

/* Sets facts->native to a trusted and usable file STEM.so.VERSION (part->stem, part->driver) that
 * is not the loader's choice: the one beside the libcuda of that version; else the first in the
 * folders of cua_folders_each. If there is none, facts->native stays as it is. */
void cua_part_native(struct cua_facts *facts, const struct cua_subject *subject,
                     const struct cua_part *part);

/* Takes the driver version from the end of a file name such as libnvidia-nvvm.so.550.163.01. False
 * if there is none: a SONAME's number, as in ".so.4", is not one. */
bool cua_part_named(const char *file, struct cua_version *version);

#endif
