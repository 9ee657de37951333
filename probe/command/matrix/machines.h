/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the machines of `cuarbiter matrix` from a CSV file.
 * - The fields are name,kmd,gpus,cc,toolkit. The last three may be empty or left out.
 * - gpus: the models, joined by ';'. cc: their compute capabilities, joined in the same order.
 * - A field may be in double quotes. A quote inside such a field is doubled.
 * - A first line that begins with "name," is a heading. Lines that begin with '#' are comments. */
#ifndef CUA_MACHINES_H
#define CUA_MACHINES_H

#include "command/whatif.h"

struct cua_machine {
    const char *name;
    struct cua_overrides overrides;
    const char **gpu, **cc;
};

struct cua_machines {
    struct cua_machine *machine;
    size_t count;
    char *text; /* the file's text, split by NULs; the strings of `machine` point into it */
};

/* Reads the file. 0, or -1 after an error message; `machines` must be freed in either case. */
int cua_machines_read(struct cua_machines *machines, const char *file);
void cua_machines_free(struct cua_machines *machines);

#endif
