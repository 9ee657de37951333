/* SPDX-License-Identifier: Apache-2.0 */
/* Prints --help from the texts of manual.c. */
#ifndef CUA_HELP_H
#define CUA_HELP_H

#include <stdio.h>

#include "cli/manual.h"

/* Prints how the command is called, and its verbs, one per line. */
void cua_help(FILE *to);
/* Prints the help of one verb on stdout. */
void cua_help_verb(const struct cua_manual *manual);

#endif
