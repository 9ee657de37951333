/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the records in two passes: the first checks the form of the question and counts the
 * records, so that each array is allocated once. */
#include "answer/asked.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char *next_record(const char *record)
{
    return record + strlen(record) + 1;
}

struct counts {
    /* `last_list`: offset of the record that begins the last list of objects (CUA_SAYS_AGAIN); 0 if
     * there is only one list. */
    size_t env, kept, objects, last_list;
};

/* Counts the records that become elements of arrays. False if the question has another frame number
 * than CUA_FRAME, does not end with CUA_SAYS_END or lists no object. If the shim had to start its
 * list of objects again (CUA_SAYS_AGAIN), the objects before that do not count. */
static bool count(struct counts *counts, const char *bytes, size_t size)
{
    const char *end = bytes + size, *record = bytes;
    char last = 0;

    *counts = (struct counts){0};
    if (size < 3 || bytes[size - 1] || strcmp(bytes + 1, CUA_FRAME) != 0 ||
        *bytes != CUA_SAYS_FRAME)
        return false;
    for (; record < end; record = next_record(record)) {
        last = *record;
        counts->env += last == CUA_SAYS_ENV;
        counts->kept += last == CUA_SAYS_KEPT;
        counts->objects += last == CUA_SAYS_OBJECT;
        if (last == CUA_SAYS_AGAIN) {
            counts->objects = 0;
            counts->last_list = (size_t)(record - bytes);
        }
    }
    return last == CUA_SAYS_END && counts->objects;
}

static void add_object(struct cua_asked *asked, const char *name)
{
    struct cua_mapped_object *object = &asked->object[asked->objects++];

    *object = (struct cua_mapped_object){
        .name = name, .base = cua_basename(name), .soname = "", .rpath = "", .needs = ""};
}

/* A list of texts, built in place from adjacent records: append() removes the letter that begins
 * each record. It ignores a record that is not adjacent to the list's last one, because moving the
 * text of that record would overwrite the records in between. */
struct list {
    char *begin, *end; /* the texts; both NULL: the list is empty */
    const char *next;  /* where the next record of the list must begin */
};

static void append(struct list *list, char *record)
{
    size_t size = strlen(record + 1) + 1;

    if (list->begin && record != list->next)
        return;
    list->begin = list->begin ? list->begin : record;
    list->end = list->end ? list->end : record;
    list->next = record + 1 + size;
    memmove(list->end, record + 1, size);
    list->end += size;
    *list->end = 0; /* an empty text ends the list; the removed letters left room for it */
}

static bool is_of_object(char kind)
{
    return kind == CUA_SAYS_OBJECT || kind == CUA_SAYS_SONAME || kind == CUA_SAYS_RPATH ||
           kind == CUA_SAYS_RUNPATH || kind == CUA_SAYS_NEEDED;
}

static void take_object(struct cua_asked *asked, struct list *needs, char *record)
{
    struct cua_mapped_object *object = asked->objects ? &asked->object[asked->objects - 1] : NULL;

    if (*record == CUA_SAYS_OBJECT) {
        *needs = (struct list){.begin = NULL};
        add_object(asked, record + 1);
    } else if (!object) {
        return;
    } else if (*record == CUA_SAYS_SONAME) {
        object->soname = record + 1;
    } else if (*record == CUA_SAYS_RPATH) {
        object->rpath = record + 1;
    } else if (*record == CUA_SAYS_RUNPATH) {
        object->runpath = record + 1;
    } else if (*record == CUA_SAYS_NEEDED && record[1]) {
        append(needs, record);
        object->needs = needs->begin;
    }
}

static void take(struct cua_asked *asked, char *record, size_t *env, size_t *kept)
{
    char *text = record + 1;

    switch (*record) {
    case CUA_SAYS_ASK:
        asked->ask = (enum cua_ask) * text;
        break;
    case CUA_SAYS_FLAGS:
        asked->flags = (int)strtoul(text, NULL, 16);
        break;
    case CUA_SAYS_NAME:
        asked->name = text;
        break;
    case CUA_SAYS_WHY:
        asked->why = text;
        break;
    case CUA_SAYS_CALLER:
        asked->caller = strtoul(text, NULL, 16);
        break;
    case CUA_SAYS_PID:
        asked->pid = (int)strtoul(text, NULL, 16);
        break;
    case CUA_SAYS_LIST:
        asked->library_path = text;
        break;
    case CUA_SAYS_HOME:
        asked->home = text;
        break;
    case CUA_SAYS_GLIBC:
        asked->glibc = text;
        break;
    case CUA_SAYS_EXE:
        asked->exe = text;
        break;
    case CUA_SAYS_STARTED:
        asked->started = text;
        break;
    case CUA_SAYS_STDERR:
        asked->has_stderr = true;
        break;
    case CUA_SAYS_ENV:
        asked->env[(*env)++] = text;
        break;
    case CUA_SAYS_ENV_CUT:
        asked->env_cut = true;
        break;
    case CUA_SAYS_KEPT:
        asked->kept[(*kept)++] = text;
        break;
    default:
        break;
    }
}

int cua_asked_read(struct cua_asked *asked, char *bytes, size_t size)
{
    struct list needs = {.begin = NULL}, words = {.begin = NULL};
    struct counts counts;
    size_t env = 0, kept = 0;
    char *record, *next;

    *asked = (struct cua_asked){.glibc = "", .exe = "", .started = "", .bytes = bytes};
    if (!count(&counts, bytes, size)) {
        free(bytes);
        return -EPROTO;
    }
    asked->env = calloc(counts.env + 1, sizeof(*asked->env));
    asked->kept = calloc(counts.kept + 1, sizeof(*asked->kept));
    asked->object = calloc(counts.objects, sizeof(*asked->object));
    if (!asked->env || !asked->kept || !asked->object) {
        cua_asked_free(asked);
        return -ENOMEM;
    }
    for (record = bytes; record < bytes + size; record = next) {
        /* Compute this first, because append() overwrites the record. */
        next = record + strlen(record) + 1;
        if (*record == CUA_SAYS_WORD)
            append(&words, record);
        else if (!is_of_object(*record))
            take(asked, record, &env, &kept);
        else if ((size_t)(record - bytes) >= counts.last_list)
            take_object(asked, &needs, record);
    }
    asked->words = words.begin;
    asked->words_size = (size_t)(words.end - words.begin);
    if (asked->name && asked->home && asked->home[0] == '/' && asked->pid > 0 &&
        strlen(asked->name) < CUA_TEXT_MOST)
        return 0;
    cua_asked_free(asked);
    return -EPROTO;
}

void cua_asked_free(struct cua_asked *asked)
{
    free(asked->env);
    free(asked->kept);
    free(asked->object);
    free(asked->bytes);
}
