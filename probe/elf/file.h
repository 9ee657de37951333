/* SPDX-License-Identifier: Apache-2.0 */
/* Reading an ELF file that may be anything. It is read, never mapped: a file that is cut while it
 * is looked at raises no SIGBUS. What every process needs that loads libcuda (headers, dynamic
 * section, symbols, notes) is read directly, since class and byte order are this program's own: a
 * quarter of libelf's instructions. libelf reads the sections and, for the command, the build-id.
 */
#ifndef CUA_ELFREAD_H
#define CUA_ELFREAD_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum cua_elf_state {
    CUA_ELF_FINE,
    CUA_ELF_DAMAGED, /* no ELF file, or one that ld.so would refuse or die of */
    CUA_ELF_OTHER,   /* of another class or machine: ld.so passes it over */
};

struct cua_elf {
    int fd;
    Elf *elf; /* NULL until cua_elf_handle */
    uint64_t size;
    Elf64_Ehdr header;
    bool failed; /* a part that is there, by the file's size, could not be read; no memory */
    const char *trouble; /* what is damaged, a text that is never freed */
    unsigned segments, entries;
    GElf_Phdr *segment;
    GElf_Dyn *entry; /* the dynamic section, up to its end */
    uint64_t strings, strings_size;
    /* The part of the file that was read last: small reads are mostly close together. */
    char *window;
    uint64_t at, have;
};

/* The machine of this program: EM_X86_64, EM_AARCH64. */
unsigned cua_elf_own_machine(void);

/* The state of a file by its first bytes. */
enum cua_elf_state cua_elf_glance(const void *head, uint64_t have, unsigned machine);

/* A shared library or a program. The descriptor is closed with it; a negative one is damage.
 * `st`: what it is, NULL where it was not asked. `machine`: EM_NONE for any. After anything but
 * CUA_ELF_FINE there is nothing to close, and `failed` and `trouble` still answer. */
enum cua_elf_state cua_elf_open(struct cua_elf *elf, int fd, const struct stat *st,
                                unsigned machine);
void cua_elf_close(struct cua_elf *elf);

/* The file offset of `size` bytes at a virtual address; false where the file has none. */
bool cua_elf_offset(const struct cua_elf *elf, uint64_t address, uint64_t size, uint64_t *offset);

/* `size` bytes from an offset, all of them or false. */
bool cua_elf_bytes(struct cua_elf *elf, uint64_t offset, void *buf, uint64_t size);

/* The value of a dynamic entry; false where there is none. */
bool cua_elf_value(const struct cua_elf *elf, int64_t tag, uint64_t *value);

/* A text of the dynamic string table; false, and "", where there is none or it does not fit. */
bool cua_elf_string(struct cua_elf *elf, uint64_t at, char *buf, uint64_t size);

/* The first library that it needs whose name begins so; false, and "", where there is none. */
bool cua_elf_needs(struct cua_elf *elf, const char *prefix, char *name, uint64_t size);

/* libelf's handle of the file, NULL where libelf will not have it. Belongs to `elf`. */
Elf *cua_elf_handle(struct cua_elf *elf);

#endif
