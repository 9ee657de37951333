/* SPDX-License-Identifier: Apache-2.0 */
/* Levenshtein distance in which swapping two neighbours counts as one step, computed row by row. */
#include "cli/suggest.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LONGEST 48

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static int same(char a, char b)
{
    return strncasecmp(&a, &b, 1) == 0;
}

unsigned cua_distance(const char *a, const char *b)
{
    unsigned rows[3][LONGEST + 1];
    size_t n = strlen(a), m = strlen(b);

    if (n > LONGEST || m > LONGEST)
        return CUA_NEAR;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        const unsigned *before = rows[(i + 1) % 3], *last = rows[(i - 1) % 3];
        unsigned *row = rows[i % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return least(rows[n % 3][m], CUA_NEAR);
}
