/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuarbiter/names.h"
#include "base/text.h"

#define MOST_ROWS 4096
#define COLUMNS   6

#define TEXT(number)    TEXT_OF(number)
#define TEXT_OF(number) #number

static bool number(const char *s, unsigned *n)
{
    size_t digits = strspn(s, "0123456789");

    *n = (unsigned)atoi(s);
    return digits > 0 && digits < 6 && s[digits] == '\0';
}

/* Reads a text X.Y as the number X * `major` + Y * `minor`, such as 12.4 as 12040 or 8.9 as 89; "-"
 * as 0. X has one or two digits, Y one. False for any other text. */
static bool dotted(const char *s, unsigned major, unsigned minor, unsigned *n)
{
    size_t digits = strspn(s, "0123456789");

    *n = 0;
    if (strcmp(s, "-") == 0)
        return true;
    if (digits == 0 || digits > 2 || s[digits] != '.' || s[digits + 1] < '0' ||
        s[digits + 1] > '9' || s[digits + 2] != '\0')
        return false;
    *n = (unsigned)atoi(s) * major + (unsigned)(s[digits + 1] - '0') * minor;
    return true;
}

static bool cuda(const char *s, unsigned *n)
{
    return dotted(s, 1000, 10, n) && *n;
}

static bool capability(const char *s, unsigned *n)
{
    return dotted(s, 10, 1, n);
}

static bool brand(const char *s, int *n)
{
    *n = cua_brand_find(s);
    return *n != CUA_BRAND_UNKNOWN || strcmp(s, "-") == 0;
}

/* Reads a grade of evidence (base/grade.h). "note" is not accepted in a table, because only the ELF
 * note in a driver's file has that grade. */
static bool grade(const char *s, enum cua_grade *g)
{
    *g = strcmp(s, "measured") == 0   ? CUA_GRADE_MEASURED
         : strcmp(s, "declared") == 0 ? CUA_GRADE_DECLARED
         : strcmp(s, "guess") == 0    ? CUA_GRADE_GUESS
                                      : CUA_GRADE_NONE;
    return *g != CUA_GRADE_NONE;
}

static bool version(const char *s, struct cua_version *v)
{
    if (!number(s, &v->part[0]))
        return cua_version_parse(v, s) == strlen(s) && *s;
    return cua_copy(v->text, sizeof(v->text), s);
}

static bool umd(char **column, void *row)
{
    struct cua_row_umd *r = row;

    return number(column[0], &r->branch) && cuda(column[1], &r->cuda) &&
           grade(column[2], &r->grade);
}

static bool forward(char **column, void *row)
{
    struct cua_row_forward *r = row;
    size_t n = 0;
    char *rest = NULL;

    r->complete = strcmp(column[1], "yes") == 0;
    for (char *word = strtok_r(column[2], " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (n == CUA_DATA_BRANCHES || !number(word, &r->kmd[n++]))
            return false;
    return number(column[0], &r->branch) && n && (r->complete || strcmp(column[1], "no") == 0) &&
           grade(column[3], &r->grade);
}

static bool brands(char **column, void *row)
{
    struct cua_row_brands *r = row;
    char *rest = NULL;
    int one;

    for (char *word = strtok_r(column[2], " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (!brand(word, &one) || one < 0)
            return false;
        r->brands |= 1u << one;
    }
    return number(column[0], &r->umd) && number(column[1], &r->kmd) && grade(column[3], &r->grade);
}

static bool cc(char **column, void *row)
{
    struct cua_row_cc *r = row;

    return number(column[0], &r->branch) && capability(column[1], &r->cc) && r->cc &&
           grade(column[2], &r->grade);
}

static bool first(char **column, void *row)
{
    struct cua_row_first *r = row;

    return capability(column[0], &r->cc) && r->cc && number(column[1], &r->branch) &&
           grade(column[2], &r->grade);
}

static bool measured(char **column, void *row)
{
    static const char *const ends[] = {
        [CUA_RUN_803] = "803",       [CUA_RUN_804] = "804",   [CUA_RUN_CONTEXT] = "context",
        [CUA_RUN_STARTS] = "starts", [CUA_RUN_RUNS] = "runs",
    };
    struct cua_row_measured *r = row;
    int end = cua_find(ends, sizeof(ends) / sizeof(*ends), column[4]);

    r->end = (enum cua_run)end;
    return number(column[0], &r->umd) && number(column[1], &r->kmd) && r->umd > r->kmd &&
           brand(column[2], &r->brand) && capability(column[3], &r->cc) && end >= 0;
}

static bool toolkit(char **column, void *row)
{
    struct cua_row_toolkit *r = row;

    return cuda(column[0], &r->cuda) && version(column[1], &r->released) &&
           version(column[2], &r->least) && grade(column[3], &r->grade);
}

static bool tegra(char **column, void *row)
{
    struct cua_row_tegra *r = row;

    return *column[0] && cua_copy(r->version, sizeof(r->version), column[0]) &&
           cuda(column[1], &r->cuda) && grade(column[2], &r->grade);
}

static bool model(char **column, void *row)
{
    struct cua_row_model *r = row;

    return *column[0] && cua_copy(r->pattern, sizeof(r->pattern), column[0]) &&
           brand(column[1], &r->brand) && capability(column[2], &r->cc) &&
           grade(column[3], &r->grade);
}

static bool pci(char **column, void *row)
{
    struct cua_row_pci *r = row;
    enum cua_grade how;
    unsigned least;
    int family;

    if (strlen(column[0]) != 4 || strspn(column[0], "0123456789abcdefABCDEF") != 4 ||
        !brand(column[1], &family) || !capability(column[2], &least) || least > UINT8_MAX ||
        !grade(column[4], &how))
        return false;
    r->device = (unsigned)strtoul(column[0], NULL, 16);
    r->brand = (int8_t)family;
    r->cc = (uint8_t)least;
    r->grade = (uint8_t)how;
    return true;
}

static bool sign(char **column, void *row)
{
    static const char *const tests[] = {[CUA_TEST_IS] = "is",
                                        [CUA_TEST_SET] = "set",
                                        [CUA_TEST_ABOVE] = "above",
                                        [CUA_TEST_DEVICE] = "device"};
    struct cua_row_sign *r = row;
    int test = cua_find(tests, sizeof(tests) / sizeof(*tests), column[1]);

    r->test = (enum cua_test)test;
    if (test == CUA_TEST_DEVICE && !(cua_starts(column[0], "/dev/") && cua_ends(column[0], "*")))
        return false;
    return test >= 0 && *column[0] && cua_copy(r->variable, sizeof(r->variable), column[0]) &&
           *column[2] && cua_copy(r->value, sizeof(r->value), column[2]) &&
           grade(column[3], &r->grade);
}

#define TABLE(file, columns, row, rows, ordered)                                                   \
    {                                                                                              \
        file, columns, row, ordered, sizeof(struct cua_row_##row), offsetof(struct cua_data, row), \
            offsetof(struct cua_data, rows)                                                        \
    }

static const struct table_format {
    const char *file;
    size_t columns;
    bool (*read)(char **column, void *row);
    bool ordered; /* the rows must be sorted by the number that they begin with */
    size_t size, rows, count;
} tables[] = {
    TABLE("umd.tsv", 4, umd, umds, true),
    TABLE("forward.tsv", 5, forward, forwards, true),
    TABLE("brands.tsv", 5, brands, brandses, true),
    TABLE("min-cc.tsv", 4, cc, ccs, true),
    TABLE("first-driver.tsv", 4, first, firsts, true),
    TABLE("measured.tsv", 6, measured, measureds, true),
    TABLE("toolkit.tsv", 5, toolkit, toolkits, true),
    TABLE("tegra.tsv", 4, tegra, tegras, false),
    TABLE("models.tsv", 5, model, models, false),
    TABLE("pci.tsv", 6, pci, pcis, true),
    TABLE("signs.tsv", 5, sign, signs, false),
};

/* Reads a line into a row, which must be all zero. False if it is not a row of this table. */
static bool read_row(const struct table_format *table, char *line, char *row)
{
    char *column[COLUMNS];
    size_t columns = 0;

    while (line && columns < COLUMNS)
        column[columns++] = strsep(&line, "\t");
    return !line && columns == table->columns && table->read(column, row);
}

/* Reads all rows into *rows, which it allocates. Skips lines that begin with #. Changes `text`.
 * Returns NULL, or why reading stopped. *line then receives the number of the line that is the
 * reason; 0: the reason is not in one line. */
static const char *read_rows(const struct table_format *table, char *text, char **rows,
                             size_t *count, unsigned *line)
{
    unsigned number, last = 0, line_number = 1;

    *line = 0;
    for (; text && *text; line_number++) {
        char *next = strsep(&text, "\n");
        if (next[0] == '#')
            continue;
        if (*count == MOST_ROWS)
            return "it has more than " TEXT(MOST_ROWS) " rows";
        char *grown = realloc(*rows, (*count + 1) * table->size);
        if (!grown)
            return "there is no memory for it";
        *rows = grown;
        *line = line_number;
        char *row = memset(grown + *count * table->size, 0, table->size);
        if (!read_row(table, next, row))
            return "is not a row of this table";
        memcpy(&number, row, sizeof(number));
        if (table->ordered && number < last)
            return "begins with a lower number than the row before";
        *line = 0;
        last = number;
        ++*count;
    }
    return *count ? NULL : "it has no rows";
}

static void complain(struct cua_data *data, const char *file, unsigned line, const char *why)
{
    const size_t size = sizeof(data->trouble);

    if (line)
        snprintf(data->trouble, size, CUA_DIR_DATA "/%s is ignored: line %u %s", file, line, why);
    else
        snprintf(data->trouble, size, CUA_DIR_DATA "/%s is ignored: %s", file, why);
}

bool cua_data_replace(struct cua_data *data, const char *file, char *text)
{
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        const struct table_format *table = &tables[i];
        char *rows = NULL;
        unsigned line;
        size_t count = 0;
        if (strcmp(table->file, file) != 0)
            continue;
        const char *why = read_rows(table, text, &rows, &count, &line);
        if (why) {
            complain(data, file, line, why);
            free(rows);
            return false;
        }
        memcpy((char *)data + table->rows, &rows, sizeof(rows));
        memcpy((char *)data + table->count, &count, sizeof(count));
        return true;
    }
    return false;
}

const char *cua_data_file(size_t n)
{
    return n < sizeof(tables) / sizeof(tables[0]) ? tables[n].file : NULL;
}
