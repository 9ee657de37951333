/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an ELF file that may be damaged or hostile. The file is read, never mapped, so that
 * truncating it meanwhile raises no SIGBUS. Only files of this program's class and byte order are
 * read.
 *
 * Headers, dynamic section, symbols and the notes in segments are read without libelf, because
 * every process that loads libcuda needs them. That takes a quarter of libelf's instructions.
 * cua_elf_handle gives access to libelf for what is rarely needed: a note that no segment covers
 * and, in the command `cuarbiter`, the build ID. */
#ifndef CUA_ELFREAD_H
#define CUA_ELFREAD_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum cua_elf_state {
    CUA_ELF_FINE,
    /* Not an ELF library or program; damaged; truncated; or unreadable. Damage in the section
     * headers alone counts too, although ld.so ignores it. */
    CUA_ELF_DAMAGED,
    CUA_ELF_OTHER, /* an ELF file of 32 bits or for another machine; ld.so skips it */
};

struct cua_elf {
    int fd;
    Elf *elf; /* libelf's handle; NULL: cua_elf_handle was not called, or libelf refuses the file */
    uint64_t size;
    Elf64_Ehdr header;
    /* There was no memory, or the file, or a part within its size, could not be read. The results
     * then show nothing about its content. */
    bool failed;
    const char *trouble; /* why the file is CUA_ELF_DAMAGED; static text */
    unsigned segments, entries;
    GElf_Phdr *segment;
    GElf_Dyn *entry; /* the dynamic section; `entries` counts those before DT_NULL */
    uint64_t strings, strings_size;
    /* A copy of the part of the file that a small read fetched last: `have` bytes from offset `at`.
     * Further small reads are served from it, because they are mostly close together. */
    char *window;
    uint64_t at, have;
};

/* The machine that this program was built for: EM_X86_64 or EM_AARCH64. */
unsigned cua_elf_own_machine(void);

/* Judges a file by its ELF header alone. `head`: the first `have` bytes of the file; if they are
 * fewer than a header, the file counts as damaged. `machine`: as for cua_elf_open. */
enum cua_elf_state cua_elf_glance(const void *head, uint64_t have, unsigned machine);

/* Reads headers and dynamic section of `fd`, a shared library or a program. Takes `fd` over. If the
 * result is CUA_ELF_FINE, cua_elf_close will close it. Otherwise this function closes it, and only
 * `failed` and `trouble` are valid. A negative `fd`, and a program without a dynamic section, count
 * as damaged files. `st`: the fstat of `fd`, or NULL. `machine`: the machine that the file must be
 * for; EM_NONE accepts any. */
enum cua_elf_state cua_elf_open(struct cua_elf *elf, int fd, const struct stat *st,
                                unsigned machine);
void cua_elf_close(struct cua_elf *elf);

/* Finds the file offset of `size` bytes at a virtual address. False if no PT_LOAD segment has all
 * of them in the file. */
bool cua_elf_offset(const struct cua_elf *elf, uint64_t address, uint64_t size, uint64_t *offset);

/* Reads `size` bytes at an offset; false if not all can be read. */
bool cua_elf_bytes(struct cua_elf *elf, uint64_t offset, void *buf, uint64_t size);

/* Returns the value of the first dynamic entry with this tag in *value; false if there is none. */
bool cua_elf_value(const struct cua_elf *elf, int64_t tag, uint64_t *value);

/* Reads the text at offset `at` of the dynamic string table. False, with "" in `buf`, if `at` lies
 * outside the table, or if the text has no end in the table, does not fit or cannot be read. */
bool cua_elf_string(struct cua_elf *elf, uint64_t at, char *buf, uint64_t size);

/* Finds the first name in DT_NEEDED that begins with `prefix` and fits into `name`. False, with ""
 * in `name`, if there is none. */
bool cua_elf_needs(struct cua_elf *elf, const char *prefix, char *name, uint64_t size);

/* Returns libelf's handle for the file, which cua_elf_close ends; NULL if libelf refuses the
 * file. */
Elf *cua_elf_handle(struct cua_elf *elf);

#endif
