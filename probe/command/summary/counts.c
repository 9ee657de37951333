/* SPDX-License-Identifier: Apache-2.0 */
#include "command/summary/counts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/listing.h"
#include "base/oldstat.h"
#include "base/policy.h"
#include "base/text.h"
#include "base/whole.h"
#include "command/summary/record.h"
#include "machine/log.h"

#define MOST_BYTES (2 * (size_t)CUA_LOG_FOLDER_MOST)

bool cua_is_dry(const char *policy)
{
    return cua_policy_find(policy) == CUA_POLICY_REPORT;
}

void cua_counts_add(struct cua_counts *s, struct cua_word **set, const char *text)
{
    struct cua_word *word;
    size_t length = strlen(text);

    HASH_FIND(hh, *set, text, length, word);
    if (word)
        return;
    word = malloc(sizeof(*word) + length + 1);
    if (word) {
        memcpy(word->text, text, length + 1);
        HASH_ADD(hh, *set, text, length, word);
    }
    s->short_of_memory |= !word || !word->hh.tbl;
}

static struct cua_alike *row_of(struct cua_counts *s, const struct cua_record *r)
{
    struct cua_alike *row = NULL;
    char *key;
    int length = asprintf(&key, "%s%c%s%c%s%c%s%c%s%c%ld", r->exe, 0, r->policy, 0, r->reason, 0,
                          r->from, 0, r->to, 0, r->without);

    if (length < 0)
        return NULL;
    HASH_FIND(hh, s->rows, key, (size_t)length, row);
    if (!row && (row = calloc(1, sizeof(*row) + (size_t)length + 1))) {
        memcpy(row->key, key, (size_t)length + 1);
        row->exe = row->key;
        row->policy = row->exe + strlen(row->exe) + 1;
        row->reason = row->policy + strlen(row->policy) + 1;
        row->from = row->reason + strlen(row->reason) + 1;
        row->to = row->from + strlen(row->from) + 1;
        row->without = r->without;
        HASH_ADD(hh, s->rows, key, (size_t)length, row);
        if (!row->hh.tbl) {
            free(row);
            row = NULL;
        }
    }
    free(key);
    return row;
}

/* Counts a process for which no driver was new enough, together with others of the same CUDA,
 * kernel driver and GPUs. */
static void want(struct cua_counts *s, const struct cua_record *r)
{
    struct cua_wanting *wanting = NULL;
    char *key;
    int length = asprintf(&key, "%s%c%s%c%s", r->cuda, 0, r->kmd, 0, r->gpus);

    if (length >= 0)
        HASH_FIND(hh, s->wanting, key, (size_t)length, wanting);
    if (length >= 0 && !wanting && (wanting = calloc(1, sizeof(*wanting) + (size_t)length + 1))) {
        memcpy(wanting->key, key, (size_t)length + 1);
        wanting->cuda = wanting->key;
        wanting->kmd = wanting->cuda + strlen(wanting->cuda) + 1;
        wanting->gpus = wanting->kmd + strlen(wanting->kmd) + 1;
        HASH_ADD(hh, s->wanting, key, (size_t)length, wanting);
        if (!wanting->hh.tbl) {
            free(wanting);
            wanting = NULL;
        }
    }
    if (length >= 0)
        free(key);
    s->short_of_memory |= !wanting;
    if (wanting) {
        wanting->processes++;
        cua_counts_add(s, &wanting->hosts, r->host);
    }
}

static void count(struct cua_counts *s, const struct cua_record *r)
{
    struct cua_alike *row = row_of(s, r);

    s->processes++;
    s->dry += cua_is_dry(r->policy);
    s->changed += cua_is_dry(r->policy) && strcmp(r->from, r->to) != 0;
    cua_counts_add(s, &s->hosts, r->host);
    cua_counts_add(s, &s->programs, r->exe);
    char user[24];
    snprintf(user, sizeof(user), "%ld", r->uid);
    cua_counts_add(s, &s->users, user);
    if (!s->first[0] || strcmp(r->time, s->first) < 0)
        strcpy(s->first, r->time);
    if (strcmp(r->time, s->last) > 0)
        strcpy(s->last, r->time);
    if (r->cuda[0])
        want(s, r);
    s->short_of_memory |= !row;
    if (row) {
        row->processes++;
        cua_counts_add(s, &row->hosts, r->host);
    }
}

static void read_lines(struct cua_counts *s, char *text, size_t size)
{
    static struct cua_record record;

    for (char *line = text, *end; line < text + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        if (!end)
            end = text + size;
        if (end == line)
            continue;
        *end = '\0';
        enum cua_record_kind kind = cua_record_parse(&record, line, (size_t)(end - line));
        s->lines++;
        s->unknown += kind == CUA_RECORD_UNKNOWN;
        if (kind == CUA_RECORD_CHOICE)
            count(s, &record);
        if (kind == CUA_RECORD_ADDED || kind == CUA_RECORD_LEFT)
            cua_containers_add(&s->containers, &record, kind == CUA_RECORD_ADDED);
    }
}

/* Reads one file of the log folder, if its name ends in .jsonl. Other users may have put links and
 * pipes there, so links are not followed, and only regular files are read. */
static int read_file(void *data, const char *name, unsigned char type)
{
    struct cua_counts *s = data;
    struct stat st;
    size_t size;
    char *text = NULL;

    (void)type;
    if (!cua_ends(name, ".jsonl"))
        return 0;
    int fd = openat(s->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && cua_fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        if (st.st_size > CUA_LOG_FOLDER_MOST)
            cua_counts_add(s, &s->full, name);
        text = cua_whole(fd, MOST_BYTES, &size);
    } else if (fd >= 0) {
        close(fd);
        errno = EINVAL;
    }
    if (text)
        read_lines(s, text, size);
    else
        cua_counts_add(s, &s->unread, name);
    free(text);
    return 0;
}

static int by_processes(const struct cua_alike *a, const struct cua_alike *b)
{
    if (a->processes != b->processes)
        return a->processes < b->processes ? 1 : -1;
    return strcmp(a->exe, b->exe);
}

int cua_counts_read(struct cua_counts *counts, const char *folder)
{
    int again, error;

    counts->fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    again = counts->fd < 0 ? -1 : openat(counts->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    error = cua_list(again < 0 ? -errno : again, read_file, counts);
    if (counts->fd >= 0)
        close(counts->fd);
    HASH_SORT(counts->rows, by_processes);
    cua_containers_count(&counts->containers);
    counts->short_of_memory |= counts->containers.short_of_memory;
    return error < 0 ? error : 0;
}
