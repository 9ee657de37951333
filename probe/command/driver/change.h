/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out for which programs a new brought driver would replace one that is in the store. */
#ifndef CUA_CHANGE_H
#define CUA_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "command/whatif.h"
#include "drivers/store.h"

#define CUA_CHANGES 8

/* Programs of CUDA `first` to `last` get the driver `now`. */
struct cua_change {
    unsigned first, last;
    bool later; /* programs of a later CUDA too, if the driver serves them */
    struct cua_version now;
};

struct cua_changes {
    struct cua_version added;
    unsigned count;
    struct cua_change change[CUA_CHANGES];
};

/* Compares an open store with the driver that would be added, which has this version and CUDA (0:
 * look it up in the tables). Judges by the rules, for this machine, or with the facts replaced that
 * `machine` has. If kernel driver or GPUs are not known, every driver of the store counts, because
 * the store may be for another machine. */
void cua_changes_find(struct cua_changes *changes, const struct cua_store *store,
                      const struct cua_version *version, unsigned cuda,
                      const struct cua_overrides *machine);

/* Writes one sentence, without a period; "" if nothing changes. */
void cua_changes_text(const struct cua_changes *changes, char *text, size_t size);
/* Writes the JSON member "changes". */
void cua_changes_json(const struct cua_changes *changes);

#endif
