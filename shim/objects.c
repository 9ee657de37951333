/* SPDX-License-Identifier: Apache-2.0 */
/* Finds ld.so's list, which is walked directly (hold.c). */
#include <sys/auxv.h>

#include "objects.h"
#include "state.h"

extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));
/* The shim is linked from address 0 on, so that its load address is where its header lies. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

bool cua_object_is_self(const struct link_map *object)
{
    return object->l_ld == _DYNAMIC;
}

/*
 * The shim's entry in the list. The second word of the table behind a lazily bound PLT is what PLT0
 * hands to ld.so's resolver, and in glibc that is the link_map. Nobody fills it where nothing is
 * bound lazily: on musl, which leaves the table's address as linked, under LD_BIND_NOW, after
 * RTLD_NOW.
 */
static const struct link_map *from_plt(void)
{
    const ElfW(Dyn) *entry = cua_dynamic_find(_DYNAMIC, DT_PLTGOT);
    const struct link_map *map = NULL;

    if (entry && entry->d_un.d_ptr > (uintptr_t)__ehdr_start)
        map = ((const struct link_map *const *)entry->d_un.d_ptr)[1];
    return map && cua_object_is_self(map) ? map : NULL;
}

/* The dynamic section that these headers describe; their PT_PHDR says where they lie, else `base`.
 */
static const ElfW(Dyn) * find_dynamic(const ElfW(Phdr) * header, size_t count, uintptr_t base)
{
    const uintptr_t first = (uintptr_t)header;
    uintptr_t dynamic = 0;
    bool known = base;

    for (; header && count; header++, count--) {
        if (header->p_type == PT_PHDR) {
            base = first - header->p_vaddr;
            known = true;
        } else if (header->p_type == PT_DYNAMIC) {
            dynamic = header->p_vaddr;
        }
    }
    return known && dynamic ? (const ElfW(Dyn) *)(base + dynamic) : NULL;
}

/* Stops at glibc's ld.so. */
static int find_loader(struct dl_phdr_info *object, size_t size, void *debug)
{
    struct link_map map = {.l_addr = object->dlpi_addr};

    (void)size;
    map.l_ld = (ElfW(Dyn) *)find_dynamic(object->dlpi_phdr, object->dlpi_phnum, map.l_addr);
    return (*(void **)debug = cua_object_symbol(&map, "_r_debug")) != NULL;
}

/* Where debuggers look: the program's DT_DEBUG, which not every linker and program has; else what
 * ld.so exports. To import that would cost each process its look-up. */
static const struct link_map *from_debug(void)
{
    const ElfW(Phdr) *program = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    const ElfW(Dyn) *dynamic = find_dynamic(program, getauxval(AT_PHNUM), 0);
    const ElfW(Dyn) *entry = cua_dynamic_find(dynamic, DT_DEBUG);
    void *debug = entry ? (void *)entry->d_un.d_ptr : NULL;

    if (!debug)
        dl_iterate_phdr(find_loader, &debug);
    return debug ? ((const struct r_debug *)debug)->r_map : NULL;
}

const struct link_map *cua_objects(void)
{
    const struct link_map *first = CUA_GET(objects);

    if (first)
        return first;
    first = from_plt();
    while (first && first->l_prev)
        first = first->l_prev;
    first = first ? first : from_debug();
    CUA_SET(objects, first);
    return first;
}
