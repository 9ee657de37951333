/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/compat_note.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/version.h"

#define OWNER "NVIDIA Corporation"

/* Two full lists, the four keys and their values, and as much again for keys not known today. */
#define TOKENS (4 * CUA_NOTE_MAX)

static void refuse(struct cua_note *note, const char *why)
{
    memset(note, 0, sizeof(*note));
    snprintf(note->trouble, sizeof(note->trouble), "%s", why);
}

/* Reads a list of numbers into out[CUA_NOTE_MAX]; its length, or -1 if it is no such list. */
static long list(const struct cua_json *json, int at, long most, long *out)
{
    if (json->token[at].type != JSMN_ARRAY || json->token[at].size > CUA_NOTE_MAX)
        return -1;
    long n = json->token[at].size;
    for (long i = 0; i < n; i++) {
        out[i] = cua_json_number(json, at + 1 + (int)i, most);
        if (out[i] < 0)
            return -1;
    }
    return n;
}

static const char *fill(struct cua_note *note, const struct cua_json *json)
{
    long numbers[CUA_NOTE_MAX], n;
    char cuda[16];

    int format = cua_json_get(json, 0, "format");
    if (format < 0)
        return "the note has no format";
    if (cua_json_number(json, format, 1) != 1)
        return "the note's format is not known";

    int at = cua_json_get(json, 0, "CUDA version");
    if (at == -2)
        return "the note has two CUDA versions";
    if (at >= 0) {
        if (!cua_json_string(json, at, cuda, sizeof(cuda)) || cua_cuda_parse(cuda) == 0)
            return "the note's CUDA version is none";
        note->cuda = cua_cuda_parse(cuda);
    }

    at = cua_json_get(json, 0, "driver");
    if (at == -2)
        return "the note has two driver lists";
    if (at >= 0) {
        n = list(json, at, 99999, numbers);
        if (n < 0)
            return "the note's driver list is none";
        for (long i = 0; i < n; i++)
            note->branch[i] = (unsigned)numbers[i];
        note->branches = (size_t)n;
        note->has_branches = true;
    }

    at = cua_json_get(json, 0, "device");
    if (at == -2)
        return "the note has two device lists";
    if (at >= 0) {
        n = list(json, at, 9999, numbers);
        if (n < 0)
            return "the note's device list is none";
        for (long i = 0; i < n; i++)
            note->brand[i] = (int)numbers[i];
        note->brands = (size_t)n;
        note->has_brands = true;
    }
    return NULL;
}

void cua_note_parse(struct cua_note *note, const char *desc, size_t size)
{
    jsmntok_t tokens[TOKENS];
    struct cua_json json;

    memset(note, 0, sizeof(*note));
    size_t length = strnlen(desc, size);
    for (size_t i = length; i < size; i++) {
        if (desc[i] != '\0') {
            refuse(note, "the note goes on after its text");
            return;
        }
    }
    if (!cua_json_object(&json, desc, length, tokens, TOKENS)) {
        refuse(note, "the note's text is no JSON object");
        return;
    }
    const char *why = fill(note, &json);
    if (why)
        refuse(note, why);
    else
        note->present = true;
}

static size_t padded(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

bool cua_note_find(struct cua_note *note, const char *bytes, size_t size)
{
    static const size_t paddings[] = {4, 8, 1};
    struct {
        uint32_t name, desc, type;
    } head;

    memset(note, 0, sizeof(*note));
    for (size_t at = 0; at < size && size - at >= sizeof(head);) {
        memcpy(&head, bytes + at, sizeof(head));
        size_t room = size - at - sizeof(head);
        const char *name = bytes + at + sizeof(head);
        if (head.name > room || head.desc > room - head.name)
            return false;
        bool ours =
            head.type == 0 && head.name >= strlen(OWNER) && memcmp(name, OWNER, strlen(OWNER)) == 0;
        for (size_t i = 0; ours && i < sizeof(paddings) / sizeof(paddings[0]); i++) {
            size_t skip = padded(sizeof(head) + head.name, paddings[i]) - sizeof(head);
            if (skip < room && head.desc <= room - skip && head.desc > 0 && name[skip] == '{') {
                cua_note_parse(note, name + skip, head.desc);
                return true;
            }
        }
        if (ours) {
            refuse(note, "the note's text is not where its header says");
            return true;
        }
        size_t step = padded(sizeof(head) + head.name, 4) + padded(head.desc, 4);
        if (step > size - at)
            return false;
        at += step;
    }
    return false;
}
