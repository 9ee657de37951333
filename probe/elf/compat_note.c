/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/compat_note.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/version.h"
#include "elf/file.h"

#define OWNER     "NVIDIA Corporation"
#define SECTION   ".note.cuda.fwd_compatibility"
#define MAX_NOTES (64u << 10)

/* The most JSON tokens that a note may have. A note with two full lists and all known keys has 137;
 * the rest is for keys that are not known today. */
#define TOKENS (4 * CUA_NOTE_MAX)

__attribute__((format(printf, 2, 3))) static bool refuse(struct cua_note *note, const char *why,
                                                         ...)
{
    va_list values;

    memset(note, 0, sizeof(*note));
    va_start(values, why);
    vsnprintf(note->trouble, sizeof(note->trouble), why, values);
    va_end(values);
    return false;
}

static bool read_numbers(const struct cua_json *json, int at, long most, unsigned *out,
                         size_t *count)
{
    const jsmntok_t *list = &json->token[at];

    if (list->type != JSMN_ARRAY || list->size > CUA_NOTE_MAX)
        return false;
    for (*count = 0; *count < (size_t)list->size; ++*count) {
        long number = cua_json_number(json, at + 1 + (int)*count, most);
        if (number < 0)
            return false;
        out[*count] = (unsigned)number;
    }
    return true;
}

/* Reads into out[CUA_NOTE_MAX] the value of `key`: a list of numbers, each at most `most`. `has`
 * receives whether the note has this key. False, with the reason in note->trouble, if the note has
 * the key twice or the list cannot be parsed. */
static bool read_list(struct cua_note *note, const struct cua_json *json, const char *key,
                      long most, unsigned *out, size_t *count, bool *has)
{
    int at = cua_json_get(json, 0, key);

    *has = at >= 0;
    if (at == -2)
        return refuse(note, "the note has \"%s\" twice", key);
    if (*has && !read_numbers(json, at, most, out, count))
        return refuse(note, "\"%s\" of the note is not a list of at most %d numbers up to %ld", key,
                      CUA_NOTE_MAX, most);
    return true;
}

static bool fill(struct cua_note *note, const struct cua_json *json)
{
    int format = cua_json_get(json, 0, "format"), at = cua_json_get(json, 0, "CUDA version");
    char cuda[16];

    if (format == -2)
        return refuse(note, "the note has \"format\" twice");
    if (format < 0)
        return refuse(note, "the note has no format number");
    if (cua_json_number(json, format, 1) != 1)
        return refuse(note, "unknown note format");
    if (at == -2)
        return refuse(note, "the note has two CUDA versions");
    if (at >= 0 && cua_json_string(json, at, cuda, sizeof(cuda)))
        note->cuda = cua_cuda_parse(cuda);
    if (at >= 0 && !note->cuda)
        return refuse(note, "the note's CUDA version cannot be parsed");
    return read_list(note, json, "driver", 99999, note->branch, &note->branches,
                     &note->has_branches) &&
           read_list(note, json, "device", 9999, (unsigned *)note->brand, &note->brands,
                     &note->has_brands);
}

void cua_note_parse(struct cua_note *note, const char *desc, size_t size)
{
    size_t length = strnlen(desc, size), end = length;
    jsmntok_t tokens[TOKENS];
    struct cua_json json;

    memset(note, 0, sizeof(*note));
    while (end < size && !desc[end])
        end++;
    if (end < size)
        refuse(note, "the note has extra bytes after its text");
    else if (!cua_json_object(&json, desc, length, tokens, TOKENS))
        refuse(note, "the note's text is not a JSON object, or too large");
    else
        note->present = fill(note, &json);
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
            refuse(note, "the note's header leads to no JSON object");
            return true;
        }
        size_t step = padded(sizeof(head) + head.name, 4) + padded(head.desc, 4);
        if (step > size - at)
            return false;
        at += step;
    }
    return false;
}

static bool is_known(const struct cua_note *note)
{
    return note->present || note->trouble[0];
}

static void read_note(struct cua_elf *elf, struct cua_note *note, uint64_t offset, uint64_t size)
{
    char *bytes = size <= MAX_NOTES ? malloc(size) : NULL;

    if (bytes && cua_elf_bytes(elf, offset, bytes, size))
        cua_note_find(note, bytes, size);
    free(bytes);
}

static void read_section(struct cua_elf *elf, struct cua_note *note)
{
    char name[sizeof SECTION];
    Elf *handle = cua_elf_handle(elf);
    GElf_Shdr names, header;
    Elf_Scn *section = NULL;
    size_t index;

    if (!handle || elf_getshdrstrndx(handle, &index) != 0 ||
        !gelf_getshdr(elf_getscn(handle, index), &names))
        return;
    while (!is_known(note) && (section = elf_nextscn(handle, section))) {
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE &&
            header.sh_name < names.sh_size &&
            cua_elf_bytes(elf, names.sh_offset + header.sh_name, name, sizeof name) &&
            memcmp(name, SECTION, sizeof name) == 0)
            read_note(elf, note, header.sh_offset, header.sh_size);
    }
}

void cua_elf_note(struct cua_elf *elf, struct cua_note *note, bool sections)
{
    memset(note, 0, sizeof *note);
    for (unsigned i = 0; i < elf->segments && !is_known(note); i++)
        if (elf->segment[i].p_type == PT_NOTE)
            read_note(elf, note, elf->segment[i].p_offset, elf->segment[i].p_filesz);
    if (sections && !is_known(note))
        read_section(elf, note);
}
