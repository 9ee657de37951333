/* SPDX-License-Identifier: Apache-2.0 */
/* The ELF note in the section `.note.cuda.fwd_compatibility` of a libcuda. It lists the kernel
 * driver branches and the GPU brands on which this libcuda runs by forward compatibility. Its owner
 * is "NVIDIA Corporation", its type 0, and its descriptor a JSON text such as {"format":1,"CUDA
 * version":"12.9","driver":[535,550,575],"device":[1,2,7,8]}. The file may be hostile, so all
 * lengths are bounded. */
#ifndef CUA_NOTE_H
#define CUA_NOTE_H

#include <stdbool.h>
#include <stddef.h>

struct cua_elf;

#define CUA_NOTE_MAX 64
struct cua_note {
    bool present;
    unsigned cuda;                 /* 12090 for 12.9; 0: the note names none */
    unsigned branch[CUA_NOTE_MAX]; /* the list "driver": kernel driver branches */
    size_t branches;
    int brand[CUA_NOTE_MAX]; /* the list "device": numbers of nvmlBrandType_t */
    size_t brands;
    bool has_branches, has_brands; /* whether the note has these lists; Tegra's notes do not */
    char trouble[96];              /* why the note cannot be used; "" if it can be, or is missing */
};

/* Parses the note's descriptor, `size` bytes at `desc`. If the note cannot be used, `present` is
 * false, `trouble` receives the reason, and everything else in `note` is zero. */
void cua_note_parse(struct cua_note *note, const char *desc, size_t size);

/* Looks for the note among the ELF notes in `bytes`, the content of a note section or of a PT_NOTE
 * segment (little-endian), and parses it. The descriptor may follow the owner's name directly, or
 * begin at the next multiple of 4 or 8 bytes: all three have been shipped. Returns true if there is
 * a note, even one that cannot be used. Returns false if there is none, with `note` zeroed. */
bool cua_note_find(struct cua_note *note, const char *bytes, size_t size);

/* Looks for the note in the file's PT_NOTE segments and parses the first one. If no segment
 * contains it and `sections` is true, looks for the section by its name, because in some files no
 * segment covers that section. `note` is zeroed if nothing is found or the notes cannot be read. */
void cua_elf_note(struct cua_elf *elf, struct cua_note *note, bool sections);

#endif
