/* SPDX-License-Identifier: Apache-2.0 */
/* --help, from manual.c. */
#ifndef CUA_HELP_H
#define CUA_HELP_H

#include <stdio.h>

#include "command/manual.h"

/* All verbs, a line each. */
void cua_help(FILE *to);
/* One verb, on stdout. */
void cua_help_verb(const struct cua_manual *manual);

#endif
