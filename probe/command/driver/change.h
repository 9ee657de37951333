/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out which programs get a brought driver of a store now, and would get another one if that
 * were added. */
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
    bool later; /* also those of a later CUDA, as far as the driver serves them */
    struct cua_version now;
};

struct cua_changes {
    struct cua_version added;
    unsigned count;
    struct cua_change change[CUA_CHANGES];
};

/* Looks at an open store, and at what would be added: its version and its CUDA, 0 if only the
 * tables have that. Judges by the rules, for this machine with the facts replaced that `machine`
 * has. If its kernel driver or GPUs are not known, every driver counts, because a store may be made
 * for another machine. */
void cua_changes_find(struct cua_changes *changes, const struct cua_store *store,
                      const struct cua_version *version, unsigned cuda,
                      const struct cua_overrides *machine);

/* Writes one sentence, without a period; "" if nothing changes. */
void cua_changes_text(const struct cua_changes *changes, char *text, size_t size);
/* Writes the JSON member "changes". */
void cua_changes_json(const struct cua_changes *changes);

#endif
