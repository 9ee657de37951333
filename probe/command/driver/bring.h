/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter driver add`, and what the other actions of the verb `driver` share with it. They work
 * on a store: a folder of drivers that were added, and that programs may get (drivers/store.h). */
#ifndef CUA_DRIVER_BRING_H
#define CUA_DRIVER_BRING_H

#include <stdbool.h>

#include "cli/verb.h"
#include "command/driver/change.h"
#include "store/add.h"

#define CUA_DRIVER_GPUS 16

struct cua_driver_options {
    const struct cua_verb *verb; /* the verb `driver`, for usage errors */
    const char *store;           /* --store; NULL: the one that cua_store_own chooses */
    struct cua_add add;
    struct cua_changes changes; /* which programs would get the added driver instead of another */
    bool yes, dry, now, json, find;
    struct cua_overrides machine; /* --kmd, --cuda and --for-gpu, instead of this machine's facts */
    const char *gpu[CUA_DRIVER_GPUS];
};

/* Sets store->path to the store that the options name or, if they name none, to the one that
 * cua_store_own chooses. Does not open it. False: the reason is in store->why. */
bool cua_driver_store(struct cua_store *store, const struct cua_driver_options *options);

/* Prints store->why as an error about `what`. Returns the exit code 1. */
int cua_driver_failed(const char *what, const struct cua_store *store);

/* Adds a driver. `words`: the `count` arguments after "add". Returns the exit code. */
int cua_driver_add(struct cua_driver_options *options, char **words, int count);

#endif
