/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the objects before libc, whose functions come before libc's. The constructors of all
 * libraries have run when the program calls __libc_start_main: its reference to that is made to
 * lead here first, and set right again before anything else. Those of the program have run when its
 * main begins. */
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
    main_function *main;
    void (*then)(void);
    enum cua_company company;
    uintptr_t page; /* the slot's, if it is read-only by now */
    size_t size;
} waiting;

/* jemalloc, tcmalloc, mimalloc and libfaketime work before their constructors have run. */
static bool works_early(const struct link_map *map)
{
    return cua_object_symbol(map, "mallocx") || cua_object_symbol(map, "tc_malloc") ||
           cua_object_symbol(map, "mi_malloc") || cua_object_symbol(map, "ft_mode");
}

/* The kinds of functions by which the object comes before libc. libc's own libraries always work,
 * and the vDSO is bound by nobody. */
static unsigned find_kinds(const struct link_map *map)
{
    unsigned kinds;

    if (cua_object_is_self(map) || cua_starts(map->l_name, "linux-v"))
        return 0;
    kinds = cua_object_exports(map, imports, sizeof(imports) / sizeof(*imports), import_filter,
                               import_names);
    return kinds && cua_name_libc(cua_file(map->l_name)) ? 0 : kinds;
}

/* What brings malloc along replaces libc's functions, as sanitizers do. Another function of a
 * program, or of a library that it is linked with, may share no more than its name with libc's. */
static bool is_strange(const struct link_map *map, unsigned kinds)
{
    return kinds & (CUA_OTHER | CUA_COPIES) && !(kinds & CUA_ALLOCATES) &&
           (map == cua_objects() ||
            cua_is_needed(cua_object_soname(map) ?: cua_file(map->l_name), true));
}

enum cua_company cua_company(bool is_linked)
{
    const struct link_map *program = cua_objects(), *map = program;
    enum cua_company company = CUA_ALONE;
    unsigned kinds, passed = is_linked ? 0 : CUA_CALLED;

    for (; map && map != CUA_GET(libc); map = map->l_next) {
        kinds = find_kinds(map) & ~(map == program ? CUA_CALLED | CUA_PASSED : passed);
        if (is_strange(map, kinds))
            return CUA_STRANGER;
        if (kinds & (CUA_OTHER | CUA_CALLED | CUA_PASSED) ||
            (kinds & (CUA_ALLOCATES | CUA_COPIES | CUA_EARLY) && !works_early(map)))
            company = map == program ? CUA_LATER : company == CUA_ALONE ? CUA_LATE : company;
    }
    return company;
}

/* A library's code lies between its load address and its dynamic section. */
bool cua_company_calls(const void *caller)
{
    const struct link_map *map = cua_objects();

    while ((map = map->l_next) && map != CUA_GET(libc))
        if ((uintptr_t)caller >= map->l_addr && caller < (const void *)map->l_ld)
            return (find_kinds(map) & (CUA_OTHER | CUA_CALLED)) == CUA_OTHER;
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
    const ElfW(Phdr) *header = (const ElfW(Phdr) *)cua_process_aux(process->auxv, AT_PHDR);
    size_t count = cua_process_aux(process->auxv, AT_PHNUM);
    uintptr_t mask, start, end;

    waiting.size = cua_process_aux(process->auxv, AT_PAGESZ);
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

static int begin_main(int argc, char **argv, char **env)
{
    waiting.then();
    return waiting.main(argc, argv, env);
}

static int start_main(main_function *program, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack)
{
    lead_to(waiting.before);
    waiting.main = program;
    if (waiting.company == CUA_LATER)
        program = begin_main;
    else
        waiting.then();
    return waiting.next(program, argc, argv, init, fini, rtld_fini, stack);
}

bool cua_before_main(const struct cua_process *process, enum cua_company company,
                     void (*then)(void))
{
    const struct link_map *program = cua_objects();

    /* What the slot holds may lead to ld.so's resolver, which only the program's stub can call. */
    waiting.next = (start_function *)cua_first_symbol("__libc_start_main");
    waiting.slot = find_slot(program, DT_RELA, DT_RELASZ);
    if (!waiting.slot)
        waiting.slot = find_slot(program, DT_JMPREL, DT_PLTRELSZ);
    if (!waiting.slot || !waiting.next)
        return false;
    find_page(process, (uintptr_t)waiting.slot, program->l_addr);
    waiting.before = *waiting.slot;
    /* Another one may set its object up in there. */
    waiting.company =
        waiting.next == cua_object_symbol(CUA_GET(libc), "__libc_start_main") ? company : CUA_LATER;
    waiting.then = then;
    return lead_to(start_main);
}
