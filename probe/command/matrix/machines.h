/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the machines of `cuarbiter matrix` from a CSV file with the fields
 * name,kmd,gpus,cc,toolkit. Several GPUs are joined by ';', and so are their compute capabilities,
 * in the same order. gpus, cc and toolkit may be empty or left out. A first line that begins with
 * "name," is a heading; lines that begin with '#' are comments. A field may be in double quotes; a
 * quote inside is doubled. */
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
    char *text; /* the file's text, with NULs after the fields; the machines' strings are in it */
};

/* Reads the file. 0, or -1 after an error message; `machines` must be freed in either case. */
int cua_machines_read(struct cua_machines *machines, const char *file);
void cua_machines_free(struct cua_machines *machines);

#endif
