/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at the objects before libc, whose functions come before libc's. That all constructors have
 * run is known when the program calls __libc_start_main: its reference to that is made to lead here
 * first, and set right again before anything else.
 */
#include "company.h"

#include "needs.h"
#include "objects.h"
#include "state.h"
#include "syscalls.h"
#include "text.h"

#include "imports.inc" /* by scripts/make-imports */

#if defined(__x86_64__)
#define IS_FUNCTION(type) ((type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_JUMP_SLOT)
#else
#define IS_FUNCTION(type) ((type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_JUMP_SLOT)
#endif

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

static struct {
    start_function **slot, *before, *next;
    void (*then)(void);
    uintptr_t page; /* the slot's, if it is read-only by now */
    size_t size;
} waiting;

/* Before their constructors have run, libc's own libraries work, and so do jemalloc, tcmalloc,
 * mimalloc and libfaketime. The vDSO is bound by nobody. */
static bool is_ready(const struct link_map *map)
{
    return cua_name_libc(cua_file(map->l_name)) || cua_starts(map->l_name, "linux-vdso") ||
           cua_object_symbol(map, "mallocx") || cua_object_symbol(map, "tc_malloc") ||
           cua_object_symbol(map, "mi_malloc") || cua_object_symbol(map, "ft_mode");
}

/* More than the one that the compiler gives to each object that has an _init? */
static bool has_constructors(const struct link_map *map)
{
    const ElfW(Dyn) *size = cua_dynamic_find(map->l_ld, DT_INIT_ARRAYSZ);
    size_t given = cua_dynamic_find(map->l_ld, DT_INIT) ? sizeof(void (*)(void)) : 0;

    return size && size->d_un.d_val > given;
}

bool cua_company(bool is_linked)
{
    const size_t count = sizeof(imports) / sizeof(*imports);
    const struct link_map *map = cua_objects();

    if (map && !is_linked)
        map = map->l_next;
    for (; map && map != CUA_GET(libc); map = map->l_next)
        if (!cua_object_is_self(map) && (is_linked || has_constructors(map)) &&
            cua_object_exports(map, imports, count, import_names) && !is_ready(map))
            return true;
    return false;
}

static start_function **find_slot(const struct link_map *map, ElfW(Sxword) table, ElfW(Sxword) size)
{
    const ElfW(Rela) *rela = cua_object_table(map, table);
    const ElfW(Dyn) *bytes = cua_dynamic_find(map->l_ld, size);
    const ElfW(Sym) *symbols = cua_object_table(map, DT_SYMTAB);
    const char *strings = cua_object_table(map, DT_STRTAB);
    size_t count = bytes ? bytes->d_un.d_val / sizeof(*rela) : 0;

    for (; rela && symbols && strings && count; rela++, count--)
        if (IS_FUNCTION(ELF64_R_TYPE(rela->r_info)) &&
            cua_same(strings + symbols[ELF64_R_SYM(rela->r_info)].st_name, "__libc_start_main"))
            return (start_function **)(map->l_addr + rela->r_offset);
    return NULL;
}

/* ld.so protects the whole pages of PT_GNU_RELRO, and of its last page nothing. */
static void find_page(const struct cua_process *process, uintptr_t slot, uintptr_t base)
{
    const ElfW(auxv_t) *entry = process->auxv;
    const ElfW(Phdr) *header = NULL;
    uintptr_t mask, start, end;
    size_t count = 0;

    for (; entry->a_type != AT_NULL; entry++) {
        if (entry->a_type == AT_PHDR)
            header = (const ElfW(Phdr) *)entry->a_un.a_val;
        else if (entry->a_type == AT_PHNUM)
            count = entry->a_un.a_val;
        else if (entry->a_type == AT_PAGESZ)
            waiting.size = entry->a_un.a_val;
    }
    mask = -(uintptr_t)waiting.size;
    for (; header && count; header++, count--) {
        start = (base + header->p_vaddr) & mask;
        end = (base + header->p_vaddr + header->p_memsz) & mask;
        if (header->p_type == PT_GNU_RELRO && slot >= start && slot < end)
            waiting.page = slot & mask;
    }
}

static bool protect(int protection)
{
    return !waiting.page ||
           !cua_syscall(SYS_mprotect, (long)waiting.page, (long)waiting.size, protection, 0, 0, 0);
}

static bool lead_to(start_function *function)
{
    if (!protect(PROT_READ | PROT_WRITE))
        return false;
    *waiting.slot = function;
    protect(PROT_READ);
    return true;
}

static int start_main(main_function *program, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack)
{
    lead_to(waiting.before);
    waiting.then();
    return waiting.next(program, argc, argv, init, fini, rtld_fini, stack);
}

bool cua_before_main(const struct cua_process *process, void (*then)(void))
{
    const struct link_map *program = cua_objects(), *map = program;

    /* What the slot holds may lead to ld.so's resolver, which only the program's own stub can call.
     */
    for (; map && !waiting.next; map = map->l_next)
        waiting.next = (start_function *)cua_object_symbol(map, "__libc_start_main");
    waiting.slot = find_slot(program, DT_RELA, DT_RELASZ);
    if (!waiting.slot)
        waiting.slot = find_slot(program, DT_JMPREL, DT_PLTRELSZ);
    if (!waiting.slot || !waiting.next)
        return false;
    find_page(process, (uintptr_t)waiting.slot, program->l_addr);
    waiting.before = *waiting.slot;
    waiting.then = then;
    return lead_to(start_main);
}
