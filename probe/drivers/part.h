/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a driver: one of its libraries other than libcuda. A part works with one driver version
 * only. The rules (rules/rules.h) judge a part by a separate struct cua_facts. In it, `kmd` has the
 * version that the part must have, and `umds` are the files of the part. The loader's choice is the
 * file that ld.so would take without cuarbiter. A file is usable if its state is CUA_UMD_USABLE,
 * and trusted if only root and the caller could have put it there (machine/trust.h). */
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

/* Sets facts->loader to the loader's choice. `file`: its path, which this process can open. If
 * `file` is "" or does not exist, facts->loader stays as it is. */
void cua_part_loader(struct cua_facts *facts, const struct cua_part *part, const char *file);

/* Sets facts->native to a file STEM.so.VERSION (part->stem, part->driver) that is usable, trusted,
 * and not the loader's choice. Looks beside the libcuda of that version first, then in the folders
 * of cua_folders_each. If there is no such file, facts->native stays as it is. */
void cua_part_native(struct cua_facts *facts, const struct cua_subject *subject,
                     const struct cua_part *part);

/* Takes the driver version from the end of a file name such as libnvidia-nvvm.so.550.163.01. False
 * if the name has none: the number in libnvidia-nvvm.so.4 is not a driver version. */
bool cua_part_named(const char *file, struct cua_version *version);

#endif
