/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter driver add`, and what the other actions of the verb `driver` share with it. */
#ifndef CUA_DRIVER_BRING_H
#define CUA_DRIVER_BRING_H

#include <stdbool.h>

#include "cli/verb.h"
#include "command/driver/change.h"
#include "store/add.h"

#define CUA_DRIVER_GPUS 16

struct cua_driver_options {
    const struct cua_verb *verb; /* whose usage an error names */
    const char *store;           /* NULL: the first that this user can write */
    struct cua_add add;
    struct cua_changes changes; /* what the driver that is added would change */
    bool yes, dry, now, json, find;
    struct cua_overrides machine; /* options for --auto and --for-gpu */
    const char *gpu[CUA_DRIVER_GPUS];
};

/* Finds the store that the options name, without opening it. False: the reason is in `store`. */
bool cua_driver_store(struct cua_store *store, const struct cua_driver_options *options);

/* Prints the reason that a function left in `store`, as an error about `what`. Returns the exit
 * code. */
int cua_driver_failed(const char *what, const struct cua_store *store);

/* Adds a driver. `words`: the arguments after "add". Returns the exit code. */
int cua_driver_add(struct cua_driver_options *options, char **words, int count);

#endif
