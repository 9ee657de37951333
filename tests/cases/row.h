/* SPDX-License-Identifier: Apache-2.0 */
/* A row of cases.tsv, and the facts that it describes. */
#ifndef ROW_H
#define ROW_H

#include "facts/facts.h"
#include "base/policy.h"

struct row {
    char *text; /* what the columns point into */
    char *id, *kmd, *host, *compat, *gpus, *cc, *visible, *toolkit, *platform, *policy, *extra;
    char *loader, *chosen, *works, *reason, *source;
};

/* Reads the next row of a stream; false after the last. Ends the program at a malformed one. */
bool row_read(struct row *row, void *stream);

/* `compat_first`: ld.so would take the compat one, else the host's. */
void row_facts(const struct row *row, struct cua_facts *facts, bool compat_first);
void row_policy(const struct row *row, struct cua_policy *policy);

/* What follows `key` in extra, in `buf`; NULL where it is not there. */
const char *row_extra(const struct row *row, const char *key, char *buf, size_t size);

#endif
