/* SPDX-License-Identifier: Apache-2.0 */
/* The tables in force for a machine. */
#include "tables/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "base/oldstat.h"
#include "base/whole.h"
#include "tables/tables.h"
#include "tables/read.h"

#define MOST_BYTES (256 * 1024)

#define MOST_FILES 16

struct loaded {
    struct cua_data data;
    char *text[MOST_FILES]; /* what rows may point into */
    struct loaded *next;
    char sysroot[]; /* whose /etc it is */
};

/* Only ever grows, so that facts may point into it without a lock. */
static struct loaded *all;

static bool roots_alone(const struct stat *st)
{
    return st->st_uid == 0 && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static void complain(struct cua_data *data, const char *file, const char *why)
{
    if (!data->trouble[0])
        snprintf(data->trouble, sizeof(data->trouble), "%s: %s", file, why);
}

/* The text of a root-owned file, NULL where there is none. */
static char *read_text(struct cua_data *data, const struct cua_subject *subject, const char *file)
{
    char path[128], *text = NULL;
    struct stat st;
    size_t used = 0;

    snprintf(path, sizeof(path), CUA_DIR_DATA "/%s", file);
    int fd = cua_subject_open(subject, path);
    if (fd == -ENOENT)
        return NULL;
    if (fd < 0) {
        complain(data, file, strerror(-fd));
        return NULL;
    }
    if (cua_fstat(fd, &st) != 0 || !roots_alone(&st)) {
        complain(data, file, "not taken: others than root can write it");
        close(fd);
        return NULL;
    }
    text = cua_whole(fd, MOST_BYTES, &used);
    if (!text)
        complain(data, file, errno == EFBIG ? "not taken: too large" : "not taken: cannot be read");
    if (!text || !memchr(text, '\0', used))
        return text;
    complain(data, file, "not taken: not readable as text");
    free(text);
    return NULL;
}

static void read_date(struct cua_data *data, const struct cua_subject *subject)
{
    char *text = read_text(data, subject, "meta.tsv");
    const char *date = text;

    while (date && strncmp(date, "date\t", 5) != 0)
        date = strchr(date, '\n') ? strchr(date, '\n') + 1 : NULL;
    size_t length = date ? strcspn(date + 5, "\t\n") : 0;
    if (length > 0 && length < sizeof(data->date)) {
        memcpy(data->date, date + 5, length);
        data->date[length] = '\0';
    }
    free(text);
}

static void load(struct loaded *loaded, const struct cua_subject *subject)
{
    struct cua_data *data = &loaded->data;

    *data = cua_data_builtin;
    read_date(data, subject);
    for (size_t i = 0; cua_data_file(i) && i < MOST_FILES; i++) {
        const char *file = cua_data_file(i);
        char *text = read_text(data, subject, file);
        if (!text)
            continue;
        if (!cua_data_replace(data, file, text)) {
            free(text);
            continue;
        }
        loaded->text[i] = text;
        size_t length = strlen(data->replaced);
        snprintf(data->replaced + length, sizeof(data->replaced) - length, "%s%s",
                 length ? " " : "", file);
    }
}

const struct cua_data *cua_data_for(const struct cua_subject *subject)
{
    const char *sysroot = subject->sysroot ? subject->sysroot : "";
    struct stat st;

    if (cua_subject_stat(subject, CUA_DIR_DATA, &st) != 0 || !S_ISDIR(st.st_mode) ||
        !roots_alone(&st))
        return &cua_data_builtin;
    for (struct loaded *one = __atomic_load_n(&all, __ATOMIC_ACQUIRE); one; one = one->next)
        if (strcmp(one->sysroot, sysroot) == 0)
            return &one->data;
    struct loaded *mine = calloc(1, sizeof(*mine) + strlen(sysroot) + 1);
    if (!mine)
        return &cua_data_builtin;
    strcpy(mine->sysroot, sysroot);
    load(mine, subject);
    /* Two threads may load the same; the second stays unused. */
    mine->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all, &mine->next, mine, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
    return &mine->data;
}
