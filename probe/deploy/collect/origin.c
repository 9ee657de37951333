/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/collect/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "deploy/hook/journal.h"

#define ORIGINS     512
#define MOST_TOKENS 64
#define HOUR        3600000LL /* milliseconds */

/* The table of entries. Allocated when the first entry is made, because it takes half a megabyte,
 * which only this command needs. */
static struct cua_origin *known;
static struct cua_origin all;

static long long now(void)
{
    struct timespec time = {0};

    clock_gettime(CLOCK_MONOTONIC, &time);
    /* Never 0, because an unused entry has 0 as its `used`. */
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000 + 1;
}

/* If `line`, a line of the OCI hook's journal (deploy/hook/journal.h), is about this container,
 * takes the container's names from it. */
static void read_line(struct cua_origin *origin, const char *line, size_t size)
{
    jsmntok_t tokens[MOST_TOKENS];
    struct cua_json json;
    char id[CUA_SENDER_ID + 1];
    const struct {
        const char *key;
        char *to;
    } rows[] = {{"namespace", origin->namespace}, {"pod", origin->pod}, {"name", origin->name}};

    if (!memmem(line, size, origin->id, strlen(origin->id)) ||
        !cua_json_object(&json, line, size, tokens, MOST_TOKENS) ||
        !cua_json_string(&json, cua_json_get(&json, 0, "container"), id, sizeof(id)) ||
        strcmp(id, origin->id) != 0)
        return;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (!cua_json_text(&json, cua_json_get(&json, 0, rows[i].key), rows[i].to,
                           sizeof(origin->pod)))
            rows[i].to[0] = '\0';
}

static void read_journal(struct cua_origin *origin, const char *name)
{
    size_t size = 0;
    char *text = cua_journal_read(name, &size);

    for (char *line = text, *end; line && line < text + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        end = end ? end : text + size;
        read_line(origin, line, (size_t)(end - line));
    }
    free(text);
}

struct cua_origin *cua_origin_find(const char *id)
{
    static struct cua_origin one; /* if there is no memory: the only entry, for all containers */
    static size_t most = ORIGINS;
    struct cua_origin *origin = NULL, *oldest;

    if (!known && !(known = calloc(ORIGINS, sizeof(*known)))) {
        known = &one;
        most = 1;
    }
    oldest = known;
    for (size_t i = 0; i < most && !origin; i++) {
        if (known[i].used && strcmp(known[i].id, id) == 0)
            origin = &known[i];
        if (known[i].used < oldest->used)
            oldest = &known[i];
    }
    if (!origin) {
        origin = oldest;
        *origin = (struct cua_origin){.left = CUA_ORIGIN_BYTES, .at = now()};
        snprintf(origin->id, sizeof(origin->id), "%s", id);
        /* The names are in the OCI hook's journal by now: the hook writes a container's line before
         * the container's first process starts. */
        if (id[0]) {
            read_journal(origin, CUA_JOURNAL_OLD);
            read_journal(origin, CUA_JOURNAL);
        }
    }
    origin->used = now();
    return origin;
}

static void refill(struct cua_origin *origin, long long most)
{
    long long time = now(), more = (time - origin->at) * most / HOUR;

    if (!origin->at || origin->left + more >= most) {
        origin->left = most;
        origin->at = time;
    } else if (more > 0) {
        origin->left += more;
        origin->at = time;
    }
}

bool cua_origin_may(struct cua_origin *origin, size_t bytes)
{
    refill(origin, CUA_ORIGIN_BYTES);
    refill(&all, CUA_ORIGIN_ALL);
    if (origin->left < (long long)bytes || all.left < (long long)bytes)
        return false;
    origin->left -= (long long)bytes;
    all.left -= (long long)bytes;
    return true;
}
