/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/load.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuarbiter/names.h"
#include "base/text.h"
#include "machine/trust.h"
#include "tables/read.h"

#define MOST_BYTES (256 * 1024)

struct loaded {
    struct cua_data data;
    char sysroot[]; /* the tables were read from /etc/cuarbiter/data below this root */
};

/* The tables that were read last, for one sysroot. Tables for another sysroot replace them here,
 * but the old ones are not freed: facts (struct cua_facts) may point into them. */
static struct loaded *_Atomic latest;

static char *read_text(struct cua_data *data, const struct cua_subject *subject, const char *file)
{
    char path[128];

    snprintf(path, sizeof(path), CUA_DIR_DATA "/%s", file);
    char *text = cua_root_text(subject, path, MOST_BYTES, false);
    if (!text && errno != ENOENT && !data->trouble[0])
        snprintf(data->trouble, sizeof(data->trouble), "%s is ignored: %s", path,
                 errno == EPERM    ? "it must belong to root and nobody else may write it"
                 : errno == EFBIG  ? "it is too large"
                 : errno == EINVAL ? "it is not a regular file, or it contains NUL bytes"
                                   : strerror(errno));
    return text;
}

static void read_date(struct cua_data *data, const struct cua_subject *subject)
{
    char *text = read_text(data, subject, "meta.tsv"), *line;

    for (char *rest = text; (line = strsep(&rest, "\n"));) {
        if (strcmp(strsep(&line, "\t"), "date") != 0 || !line)
            continue;
        const char *date = strsep(&line, "\t");
        if (*date && strlen(date) < sizeof(data->date))
            strcpy(data->date, date);
    }
    free(text);
}

static void load(struct cua_data *data, const struct cua_subject *subject)
{
    const char *file;

    *data = cua_data_builtin;
    read_date(data, subject);
    for (size_t i = 0; (file = cua_data_file(i)); i++) {
        char *text = read_text(data, subject, file);
        if (text && cua_data_replace(data, file, text)) {
            cua_append(data->replaced, sizeof(data->replaced), data->replaced[0] ? " " : "");
            cua_append(data->replaced, sizeof(data->replaced), file);
        }
        free(text);
    }
}

const struct cua_data *cua_data_for(const struct cua_subject *subject)
{
    const char *sysroot = subject->sysroot ? subject->sysroot : "";
    struct loaded *known = atomic_load(&latest), *mine;
    struct stat st;

    if (cua_subject_stat(subject, CUA_DIR_DATA, &st) != 0 || !S_ISDIR(st.st_mode) ||
        !cua_roots_alone(&st))
        return &cua_data_builtin;
    if (known && strcmp(known->sysroot, sysroot) == 0)
        return &known->data;
    mine = malloc(sizeof(*mine) + strlen(sysroot) + 1);
    if (!mine)
        return &cua_data_builtin;
    strcpy(mine->sysroot, sysroot);
    load(&mine->data, subject);
    atomic_store(&latest, mine);
    return &mine->data;
}
