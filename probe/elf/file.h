/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an ELF file that may be damaged or hostile. The file is read, never mapped, so that
 * truncating it meanwhile raises no SIGBUS. What every process that loads libcuda needs (headers,
 * dynamic section, symbols, notes) is read without libelf. That takes a quarter of the
 * instructions, and is simple because class and byte order are this program's own. libelf reads the
 * sections and, for the command, the build ID. */
#ifndef CUA_ELFREAD_H
#define CUA_ELFREAD_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum cua_elf_state {
    CUA_ELF_FINE,
    CUA_ELF_DAMAGED, /* not an ELF file, or one that ld.so would refuse or crash on */
    CUA_ELF_OTHER,   /* for another class or machine: ld.so skips it */
};

struct cua_elf {
    int fd;
    Elf *elf; /* NULL until cua_elf_handle is called */
    uint64_t size;
    Elf64_Ehdr header;
    /* A read failed within the file's size, or there was no memory. So the result says nothing
     * about the file. */
    bool failed;
    const char *trouble; /* describes the damage; never freed */
    unsigned segments, entries;
    GElf_Phdr *segment;
    GElf_Dyn *entry; /* the dynamic section, up to its end */
    uint64_t strings, strings_size;
    /* The part of the file that was read last: `have` bytes from offset `at`. It serves further
     * small reads, which are mostly close together. */
    char *window;
    uint64_t at, have;
};

/* The machine that this program was built for: EM_X86_64, EM_AARCH64. */
unsigned cua_elf_own_machine(void);

/* Judges a file by its ELF header alone. */
enum cua_elf_state cua_elf_glance(const void *head, uint64_t have, unsigned machine);

/* Opens a shared library or a program. cua_elf_close closes the descriptor too; a negative
 * descriptor counts as damage. `st`: the file's status, or NULL. `machine`: the machine it must be
 * for; EM_NONE accepts any. If the result is not CUA_ELF_FINE, there is nothing to close, but
 * `failed` and `trouble` are valid. */
enum cua_elf_state cua_elf_open(struct cua_elf *elf, int fd, const struct stat *st,
                                unsigned machine);
void cua_elf_close(struct cua_elf *elf);

/* The file offset of `size` bytes at a virtual address; false if the file does not contain them. */
bool cua_elf_offset(const struct cua_elf *elf, uint64_t address, uint64_t size, uint64_t *offset);

/* Reads `size` bytes at an offset; false if not all can be read. */
bool cua_elf_bytes(struct cua_elf *elf, uint64_t offset, void *buf, uint64_t size);

/* The value of a dynamic entry; false if there is none. */
bool cua_elf_value(const struct cua_elf *elf, int64_t tag, uint64_t *value);

/* Reads a text of the dynamic string table. False, and "", if there is none, or `buf` is too
 * small. */
bool cua_elf_string(struct cua_elf *elf, uint64_t at, char *buf, uint64_t size);

/* The first needed library whose name begins with `prefix`; false, and "", if there is none. */
bool cua_elf_needs(struct cua_elf *elf, const char *prefix, char *name, uint64_t size);

/* libelf's handle for the file; NULL if libelf refuses the file. Belongs to `elf`. */
Elf *cua_elf_handle(struct cua_elf *elf);

#endif
