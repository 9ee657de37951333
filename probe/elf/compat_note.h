/* SPDX-License-Identifier: Apache-2.0 */
/* The ELF note `.note.cuda.fwd_compatibility`: owner "NVIDIA Corporation", type 0, a JSON text such
 * as {"format":1,"CUDA version":"12.9","driver":[535,550,575],"device":[1,2,7,8]}. Input may be
 * hostile, so all lengths are bounded and nothing is allocated. */
#ifndef CUA_NOTE_H
#define CUA_NOTE_H

#include <stdbool.h>
#include <stddef.h>

struct cua_elf;

#define CUA_NOTE_MAX 64
struct cua_note {
    bool present;
    unsigned cuda;                 /* 12090 */
    unsigned branch[CUA_NOTE_MAX]; /* the list "driver" */
    size_t branches;
    int brand[CUA_NOTE_MAX]; /* the list "device": numbers of nvmlBrandType_t */
    size_t brands;
    bool has_branches, has_brands; /* Tegra's notes have neither list */
    char trouble[96];              /* why a note that exists cannot be used; else "" */
};

/* Reads the note's descriptor. If the note cannot be used, `present` stays false and `trouble`
 * receives the reason; everything else in `note` is then zero. */
void cua_note_parse(struct cua_note *note, const char *desc, size_t size);

/* Looks for the note in the raw bytes of a note section or of a PT_NOTE segment (little-endian) and
 * parses it. Accepts padding to 4 bytes, to 8 and none at all, because all three have been shipped.
 * False if there is no such note; `note` is then zeroed. */
bool cua_note_find(struct cua_note *note, const char *bytes, size_t size);

/* Looks for the note in the file's PT_NOTE segments. `sections`: also looks for a section of that
 * name, because in some files no segment covers the note. */
void cua_elf_note(struct cua_elf *elf, struct cua_note *note, bool sections);

#endif
