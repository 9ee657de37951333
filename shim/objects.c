/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks ld.so's list directly, under the lock that libc's own dl_iterate_phdr takes. A plain call
 * of dl_iterate_phdr might reach the program's: that may show an old copy of the list, or take a
 * lock of its own.
 */
#include <sys/auxv.h>

#include "objects.h"
#include "state.h"

#pragma weak _r_debug
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
 * bound lazily: on musl, under LD_BIND_NOW, after RTLD_NOW.
 */
static const struct link_map *from_plt(void)
{
    const ElfW(Dyn) * entry;
    const struct link_map *map = NULL;
    uintptr_t table;

    for (entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag != DT_PLTGOT)
            continue;
        table = entry->d_un.d_ptr;
        if (table < (uintptr_t)__ehdr_start)
            table += (uintptr_t)__ehdr_start;
        map = ((const struct link_map *const *)table)[1];
        break;
    }
    return map && cua_object_is_self(map) ? map : NULL;
}

/* Where debuggers look: the program's DT_DEBUG, which not every linker and program has. */
static const struct link_map *from_program(void)
{
    const ElfW(Phdr) *header = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    unsigned long count = getauxval(AT_PHNUM);
    uintptr_t base = 0, dynamic = 0; /* PT_PHDR stands before the others */
    bool known = false;
    const ElfW(Dyn) * entry;
    const struct r_debug *debug;

    for (; header && count; header++, count--) {
        if (header->p_type == PT_PHDR) {
            base = getauxval(AT_PHDR) - header->p_vaddr;
            known = true;
        } else if (header->p_type == PT_DYNAMIC && known) {
            dynamic = base + header->p_vaddr;
        }
    }
    if (!dynamic)
        return NULL;
    for (entry = (const ElfW(Dyn) *)dynamic; entry->d_tag != DT_NULL; entry++) {
        debug = (const struct r_debug *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_DEBUG && debug)
            return debug->r_map;
    }
    return NULL;
}

const struct link_map *cua_objects(void)
{
    const struct link_map *first = CUA_GET(objects);

    if (first)
        return first;
    first = from_plt();
    while (first && first->l_prev)
        first = first->l_prev;
    if (!first)
        first = from_program();
    if (!first && &_r_debug)
        first = _r_debug.r_map;
    CUA_SET(objects, first);
    return first;
}

struct hold {
    void (*visit)(void *arg, uint64_t unloaded); /* NULL: only the number is wanted */
    void *arg;
    uint64_t unloaded;
};

static int visit_once(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct hold *hold = arg;

    (void)size;
    hold->unloaded = object->dlpi_subs;
    if (hold->visit)
        hold->visit(hold->arg, object->dlpi_subs);
    return 1;
}

/* libc's own dl_iterate_phdr; NULL on musl. */
static __attribute__((noinline)) cua_iterate *find_iterate(void)
{
    const struct link_map *libc = CUA_GET(libc);
    cua_iterate *iterate = NULL;

    if (libc)
        iterate = (cua_iterate *)cua_object_symbol(libc, "dl_iterate_phdr");
    CUA_SET(iterate, iterate);
    return iterate;
}

uint64_t cua_objects_unloaded(void)
{
    cua_iterate *iterate = CUA_GET(iterate);
    struct hold hold = {NULL, NULL, 0};

    if (iterate || (iterate = find_iterate()))
        iterate(visit_once, &hold);
    return hold.unloaded;
}

void cua_objects_hold(void (*visit)(void *arg, uint64_t unloaded), void *arg)
{
    cua_iterate *iterate = CUA_GET(iterate);
    struct hold hold = {visit, arg, 0};

    if (iterate || (iterate = find_iterate()))
        iterate(visit_once, &hold);
    else /* musl never unloads */
        visit(arg, 0);
}
