/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/install/stub32.h"

#include <elf.h>
#include <stddef.h>

#if defined(__x86_64__)
#define STUB_MACHINE EM_386
#define STUB_FLAGS   0
#elif defined(__aarch64__)
#define STUB_MACHINE EM_ARM
#define STUB_FLAGS   EF_ARM_EABI_VER5
#else
#error "which 32-bit machine goes with this one?"
#endif

#define DYNAMIC_COUNT 6

/* The library: one segment of less than a page, linked at address 0, without code, relocations or
 * symbols other than the null symbol. */
struct stub {
    Elf32_Ehdr header;
    Elf32_Phdr program[3];
    Elf32_Dyn dynamic[DYNAMIC_COUNT];
    Elf32_Sym symbol; /* the null symbol, with which every symbol table begins */
    Elf32_Word hash[4];
    char strings[4];
};

#define AT(member) offsetof(struct stub, member)

/* The library's segment is writable, because ld.so adds the load address to entries of the dynamic
 * section in place. */
static const struct stub stub = {
    .header =
        {
            .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
            .e_type = ET_DYN,
            .e_machine = STUB_MACHINE,
            .e_version = EV_CURRENT,
            .e_phoff = AT(program),
            .e_flags = STUB_FLAGS,
            .e_ehsize = sizeof(Elf32_Ehdr),
            .e_phentsize = sizeof(Elf32_Phdr),
            .e_phnum = 3,
            .e_shentsize = sizeof(Elf32_Shdr),
        },
    .program =
        {
            {.p_type = PT_LOAD,
             .p_filesz = sizeof(struct stub),
             .p_memsz = sizeof(struct stub),
             .p_flags = PF_R | PF_W,
             .p_align = 0x10000},
            {.p_type = PT_DYNAMIC,
             .p_offset = AT(dynamic),
             .p_vaddr = AT(dynamic),
             .p_paddr = AT(dynamic),
             .p_filesz = DYNAMIC_COUNT * sizeof(Elf32_Dyn),
             .p_memsz = DYNAMIC_COUNT * sizeof(Elf32_Dyn),
             .p_flags = PF_R | PF_W,
             .p_align = 4},
            {.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16},
        },
    .dynamic =
        {
            {.d_tag = DT_HASH, .d_un.d_ptr = AT(hash)},
            {.d_tag = DT_STRTAB, .d_un.d_ptr = AT(strings)},
            {.d_tag = DT_SYMTAB, .d_un.d_ptr = AT(symbol)},
            {.d_tag = DT_STRSZ, .d_un.d_val = sizeof(((struct stub *)0)->strings)},
            {.d_tag = DT_SYMENT, .d_un.d_val = sizeof(Elf32_Sym)},
            {.d_tag = DT_NULL},
        },
    .hash = {1, 1, 0, 0}, /* one bucket, one symbol */
};

size_t cua_stub32(const void **bytes)
{
    *bytes = &stub;
    return sizeof(stub);
}
