/* SPDX-License-Identifier: Apache-2.0 */
/* Before `cuarbiter driver add` adds a driver to a store (a folder of drivers that programs may
 * get): finds out which programs would then get it instead of a driver that the store already
 * has. */
#ifndef CUA_CHANGE_H
#define CUA_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "command/whatif.h"
#include "drivers/store.h"

#define CUA_CHANGES 8

/* Programs of CUDA `first` to `last` (12040 for 12.4) get the driver `now`, and would get the new
 * one. */
struct cua_change {
    unsigned first, last;
    bool later; /* the range has no end: `last` is the last CUDA that was compared */
    struct cua_version now;
};

struct cua_changes {
    struct cua_version added;
    unsigned count;
    struct cua_change change[CUA_CHANGES];
};

/* Finds what would change if a driver of this version and CUDA were added to the open store.
 * Judges by the rules (rules/), for this machine, and loads no driver.
 * - `cuda` is looked up in the tables if it is 0
 * - `machine` replaces some of this machine's facts
 *
 * These drivers count:
 * - drivers of the store that are proven to work with the kernel driver and the GPUs
 * - the new driver, if it is newer than the kernel driver and not certain to fail
 * - all drivers, if the kernel driver or the GPUs are not known: the store may be for another
 *   machine */
void cua_changes_find(struct cua_changes *changes, const struct cua_store *store,
                      const struct cua_version *version, unsigned cuda,
                      const struct cua_overrides *machine);

/* Writes the changes as one sentence, without a period; "" if nothing changes. */
void cua_changes_text(const struct cua_changes *changes, char *text, size_t size);
/* Writes the JSON member "changes". */
void cua_changes_json(const struct cua_changes *changes);

#endif
