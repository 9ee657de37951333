/* SPDX-License-Identifier: Apache-2.0 */
/* Compares names of GPUs by letters and digits only, without case. Leaves out "nvidia", "geforce",
 * "tesla" and "quadro" at the beginning: "RTX 4090" equals "GeForce RTX 4090", and "t4" equals
 * "Tesla T4". The tables (data/models.tsv) have names of models, and patterns of families, which
 * end with a star: "GeForce RTX 40*". */
#include "command/gpu_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/suggest.h"
#include "cli/verb.h"
#include "machine/subject.h"
#include "tables/load.h"
#include "tables/tables.h"

#define PLAIN 48
#define SHOWN 5

/* The lower-case letter, regardless of the locale. */
static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static char large(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool counts(char c)
{
    c = small(c);
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static void plain(char *out, const char *name)
{
    static const char *const families[] = {"nvidia", "geforce", "tesla", "quadro"};
    size_t n = 0;

    for (; *name && n < PLAIN - 1; name++)
        if (counts(*name))
            out[n++] = small(*name);
    out[n] = '\0';
    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
        size_t length = strlen(families[i]);
        if (strncmp(out, families[i], length) == 0 && n > length)
            memmove(out, out + length, n - length + 1), n -= length;
    }
}

/* Copies a name to memory that stays valid as long as the process lives. Returns NULL if there is
 * no more room. */
static const char *keep(const char *name)
{
    static char kept[64][2 * PLAIN];

    for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
        if (!kept[i][0])
            snprintf(kept[i], sizeof(kept[i]), "%s", name);
        if (strcmp(kept[i], name) == 0)
            return kept[i];
    }
    return NULL;
}

/* `rest` is the end of a name that begins like `pattern` does up to its star. Returns whether
 * `rest` begins with as many digits as the models of this family have:
 * - after a letter ("RTX A*"): at most four;
 * - after a digit, for a GeForce ("GeForce RTX 40*"): exactly two;
 * - after a digit, for others: at most two. */
static bool completes(const char *pattern, const char *rest)
{
    const size_t digits = strspn(rest, "0123456789");
    const char last = pattern[strcspn(pattern, "*") - 1];

    if (last < '0' || last > '9')
        return digits <= 4;
    return digits == 2 || (digits < 2 && !cua_starts(pattern, "GeForce"));
}

/* Scores how well `pattern`, a name of the tables, matches `given`, a result of plain(); 0: not at
 * all.
 * - A name without a star must equal `given`, and scores PLAIN, the highest score.
 * - A pattern with a star matches if `given` begins with the plain() form of the pattern, and
 *   completes() accepts the rest. It scores the length of that form, which must be more than two
 *   characters. */
static size_t fits(const char *pattern, const char *given)
{
    char other[PLAIN];
    size_t n;

    plain(other, pattern);
    n = strlen(other);
    if (!strchr(pattern, '*'))
        return strcmp(given, other) == 0 ? PLAIN : 0;
    return n > 2 && cua_starts(given, other) && completes(pattern, given + n) ? n : 0;
}

/* Whether the name begins like a family's pattern but goes on with more or fewer digits than the
 * family's models have (see completes): "RTX 40900", "RTX 40". */
static bool is_odd(const struct cua_data *data, const char *given)
{
    char mine[PLAIN], other[PLAIN];

    plain(mine, given);
    for (size_t i = 0; i < data->models; i++) {
        const char *pattern = data->model[i].pattern;
        plain(other, pattern);
        if (strchr(pattern, '*') && cua_starts(mine, other) && other[0] &&
            !completes(pattern, mine + strlen(other)))
            return true;
    }
    return false;
}

static const char *find(const struct cua_data *data, const char *given)
{
    char mine[PLAIN], name[2 * PLAIN];
    const char *found = NULL;
    size_t best = 0;

    plain(mine, given);
    for (size_t i = 0; i < data->models; i++) {
        size_t length = fits(data->model[i].pattern, mine);
        /* Prefer a row with a known brand: for "RTX A6000" take the row "RTX A*", not "RTXA6000",
         * which has no brand. */
        length += length && data->model[i].brand != CUA_BRAND_UNKNOWN ? 2 * PLAIN : 0;
        if (length > best) {
            best = length;
            found = data->model[i].pattern;
        }
    }
    if (!found || !strchr(found, '*'))
        return found;
    size_t n = (size_t)snprintf(name, sizeof(name), "%.*s", (int)strcspn(found, "*"), found);
    char family[PLAIN];
    plain(family, found);
    for (const char *rest = mine + strlen(family); *rest && n < sizeof(name) - 1; rest++)
        name[n++] = large(*rest);
    name[n] = '\0';
    return keep(name);
}

struct near {
    const char *name[SHOWN];
    size_t count;
};

static void add(struct near *near, const char *name)
{
    for (size_t i = 0; name && i < near->count; i++)
        if (strcmp(near->name[i], name) == 0)
            return;
    if (name && near->count < SHOWN)
        near->name[near->count++] = name;
}

/* Suggests similar models, also such as the tables know only by a family's pattern. Calls find()
 * with three changes of `mine`:
 * - "rtx" or "gtx" before it (for "4090");
 * - without one of two equal neighbouring characters ("RTX 40900");
 * - without the last character ("RTX 40901"). */
static void add_families(struct near *near, const struct cua_data *data, const char *mine)
{
    static const char *const families[] = {"rtx", "gtx"};
    char other[PLAIN + 4];

    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
        snprintf(other, sizeof(other), "%s%s", families[i], mine);
        add(near, find(data, other));
    }
    for (size_t i = 0; strlen(mine) > 4 && mine[i]; i++) {
        snprintf(other, sizeof(other), "%.*s%s", (int)i, mine, mine + i + 1);
        if (!mine[i + 1] || mine[i] == mine[i + 1])
            add(near, find(data, other));
    }
}

static void complain(const struct cua_data *data, const char *given)
{
    struct near near = {.count = 0};
    char mine[PLAIN], other[PLAIN], text[SHOWN * 64] = "";

    plain(mine, given);
    add_families(&near, data, mine);
    for (size_t i = 0; i < data->models; i++) {
        plain(other, data->model[i].pattern);
        bool alike = mine[0] && !strchr(data->model[i].pattern, '*') &&
                     (strncmp(mine, other, strlen(mine)) == 0 ||
                      (strlen(mine) > 3 && cua_distance(mine, other) == 1));
        if (alike)
            add(&near, data->model[i].pattern);
    }
    for (size_t i = 0; i < near.count; i++) {
        cua_append(text, sizeof(text), i ? ", " : "; similar names: ");
        cua_append(text, sizeof(text), near.name[i]);
    }
    cua_complain(given, "no GPU of this name is known%s", text);
}

const char *cua_gpu_name(const char *given)
{
    const struct cua_data *data = cua_data_for(&cua_here);
    const struct cua_known known = cua_data_gpu_by_model(data, given);

    if ((known.brand != CUA_BRAND_UNKNOWN || known.cc) && !is_odd(data, given))
        return given;
    const char *found = find(data, given), *bare = strstr(given, "GeForce ");
    if (!found)
        complain(data, given);
    /* Drop "GeForce " from an unknown name. Otherwise the tables could take the GPU for a model
     * whose name begins in the same way. */
    return found ? found : bare ? bare + strlen("GeForce ") : given;
}
