/* SPDX-License-Identifier: Apache-2.0 */
#include "command/summary/containers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cua_box *box_of(struct cua_containers *s, const char *id)
{
    struct cua_box *box = NULL;
    char number[32];
    size_t length;

    /* "?": the log line has no container ID. Each such line counts as a container of its own. */
    if (strcmp(id, "?") == 0) {
        snprintf(number, sizeof(number), "?%lu", s->unnamed++);
        id = number;
    }
    length = strlen(id);
    HASH_FIND(hh, s->boxes, id, length, box);
    if (box || !(box = calloc(1, sizeof(*box) + length + 1)))
        return box;
    memcpy(box->id, id, length + 1);
    HASH_ADD(hh, s->boxes, id, length, box);
    if (!box->hh.tbl) {
        free(box);
        box = NULL;
    }
    return box;
}

void cua_containers_add(struct cua_containers *s, const struct cua_record *r, bool added)
{
    struct cua_box *box = box_of(s, r->container);
    char *why = box ? strdup(r->from) : NULL;

    s->short_of_memory |= !why;
    if (!why || strcmp(r->time, box->time) < 0) {
        free(why);
        return;
    }
    free(box->why);
    strcpy(box->time, r->time);
    box->why = why;
    box->added = added;
    box->off = strcmp(r->policy, "disabled") == 0 || strcmp(r->policy, "off") == 0;
}

static void leave(struct cua_containers *s, const char *text)
{
    struct cua_why *why;
    size_t length = strlen(text);

    HASH_FIND(hh, s->left, text, length, why);
    if (!why && (why = malloc(sizeof(*why) + length + 1))) {
        why->containers = 0;
        memcpy(why->text, text, length + 1);
        HASH_ADD(hh, s->left, text, length, why);
    }
    s->short_of_memory |= !why || !why->hh.tbl;
    if (why)
        why->containers++;
}

void cua_containers_count(struct cua_containers *s)
{
    for (struct cua_box *box = s->boxes; box; box = box->hh.next) {
        s->count++;
        if (!box->added)
            leave(s, box->why);
        else
            s->off += box->off;
    }
}
