/* SPDX-License-Identifier: Apache-2.0 */
/* Finds ld.so's list of loaded objects, and walks the part that is never unloaded. */
#include <dlfcn.h>

#include "objects.h"
#include "process.h"
#include "text.h"

/* The shim's ELF header. It lies at the load address, because the shim is linked at address 0. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

/* Finds the shim's entry in ld.so's list, or returns NULL. If the shim's imports are bound lazily,
 * glibc stores the shim's link_map in the second word of the GOT. That word stays empty under
 * LD_BIND_NOW, after RTLD_NOW, and on musl. (musl does not even relocate DT_PLTGOT; its value is
 * then below the load address.) */
static const struct link_map *from_plt(void)
{
    const ElfW(Dyn) *entry = cua_dynamic_find(_DYNAMIC, DT_PLTGOT);
    const struct link_map *map = NULL;

    if (entry && entry->d_un.d_ptr > (uintptr_t)__ehdr_start)
        map = ((const struct link_map *const *)entry->d_un.d_ptr)[1];
    return map && cua_object_is_self(map) ? map : NULL;
}

/* Returns the dynamic section that these program headers describe; NULL if there is none, or if the
 * load address is not known. The load address comes from PT_PHDR. Without PT_PHDR it is `base`,
 * where 0 means not known. */
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

/* Looks for ld.so's r_debug structure in one object, in the two places that debuggers know.
 * DT_DEBUG of the program leads to it, but not every linker writes DT_DEBUG. In glibc's ld.so it is
 * the variable _r_debug, which is looked up by name: importing it would cost every process a symbol
 * look-up. Returns whether `debug` is set now, which also ends dl_iterate_phdr. */
static int find_debug(struct dl_phdr_info *object, size_t size, void *debug)
{
    struct link_map map = {.l_addr = object->dlpi_addr};
    const ElfW(Dyn) * entry;

    (void)size;
    map.l_ld = (ElfW(Dyn) *)find_dynamic(object->dlpi_phdr, object->dlpi_phnum, map.l_addr);
    entry = cua_dynamic_find(map.l_ld, DT_DEBUG);
    *(void **)debug = entry ? (void *)entry->d_un.d_ptr : cua_object_symbol(&map, "_r_debug");
    return *(void **)debug != NULL;
}

/* Returns the r_debug structure of the ld.so that the kernel itself loaded: beside the program
 * (AT_BASE), or alone, as the program that was executed. NULL: not found. */
static void *find_started(char **env)
{
    ElfW(auxv_t) *vector = cua_process_vector(env);
    const ElfW(Ehdr) *loader = (const ElfW(Ehdr) *)cua_process_aux(vector, AT_BASE);
    uintptr_t headers =
        loader ? (uintptr_t)loader + loader->e_phoff : cua_process_aux(vector, AT_PHDR);
    struct dl_phdr_info object = {
        .dlpi_addr = (ElfW(Addr))loader,
        .dlpi_phdr = (const ElfW(Phdr) *)headers,
        .dlpi_phnum = loader ? loader->e_phnum : (ElfW(Half))cua_process_aux(vector, AT_PHNUM),
    };
    void *debug = NULL;

    find_debug(&object, sizeof(object), &debug);
    return debug;
}

const struct link_map *cua_objects_begin(char **env)
{
    const struct link_map *first = from_plt();
    void *debug = NULL;

    while (first && first->l_prev)
        first = first->l_prev;
    if (!first && env)
        debug = find_started(env);
    if (!first && !debug)
        dl_iterate_phdr(find_debug, &debug);
    first = debug ? ((const struct r_debug *)debug)->r_map : first;
    CUA_SET(objects, first);
    return first;
}

const struct link_map *cua_objects(void)
{
    const struct link_map *first = CUA_GET(objects);

    return first ? first : cua_objects_begin(NULL);
}

void *cua_first_symbol(const char *name)
{
    const struct link_map *map = cua_objects();
    void *symbol = NULL;

    for (; map && !symbol; map = cua_object_next(map))
        symbol = cua_object_symbol(map, name);
    return symbol;
}

/* Takes an object's code to lie between its load address and its dynamic section, where linkers put
 * it by default. */
const struct link_map *cua_object_at(const void *address)
{
    const struct link_map *map = cua_objects();

    while (map && ((uintptr_t)address < map->l_addr || (uintptr_t)address >= (uintptr_t)map->l_ld))
        map = cua_object_next(map);
    return map;
}

bool cua_is_needed(const char *name)
{
    const struct link_map *map;
    const ElfW(Dyn) * entry;
    const char *strings;

    for (map = cua_objects(); map; map = cua_object_next(map)) {
        strings = cua_object_table(map, DT_STRTAB);
        entry = map->l_ld;
        for (; strings && (entry = cua_dynamic_find(entry, DT_NEEDED)); entry++)
            if (cua_starts(cua_file(strings + entry->d_un.d_val), name))
                return true;
    }
    return false;
}

/* Finds the function in the objects after the shim. If the shim was loaded by dlopen, this finds
 * nothing, because the shim is not among the objects that are never unloaded. The objects before
 * the shim are not searched: another preload's dlopen may call the next dlopen, which is the
 * shim's, and so on without end. */
static void *find_behind(const char *name)
{
    const struct link_map *map;
    void *found = NULL;
    bool behind = false;

    for (map = cua_objects(); map && !found; map = cua_object_next(map)) {
        if (behind)
            found = cua_object_symbol(map, name);
        behind |= cua_object_is_self(map);
    }
    return found;
}

struct wanted {
    const char *name;
    void *found;
};

static int find_libdls(struct dl_phdr_info *object, size_t size, void *data)
{
    struct link_map map = {.l_addr = object->dlpi_addr};
    struct wanted *wanted = data;

    (void)size;
    if (!cua_same(cua_file(object->dlpi_name), "libdl.so.2"))
        return 0;
    map.l_ld = (ElfW(Dyn) *)find_dynamic(object->dlpi_phdr, object->dlpi_phnum, map.l_addr);
    wanted->found = cua_object_symbol(&map, wanted->name);
    return 1;
}

/* Finds the function in libc or, before glibc 2.34, in libdl, which may be loaded after the program
 * has started. dl_iterate_phdr holds ld.so's lock during the search, since another thread may
 * unload objects. */
void *cua_find_libcs(const char *name)
{
    const struct link_map *libc = CUA_GET(libc);
    struct wanted wanted = {name, libc ? cua_object_symbol(libc, name) : NULL};

    if (!wanted.found)
        dl_iterate_phdr(find_libdls, &wanted);
    return wanted.found;
}

/* Stands in for a missing dlopen; always fails. Before glibc 2.34 a program without libdl has no
 * dlopen, and its weak references to dlopen are NULL. With the shim such references lead here, and
 * most callers are prepared for a failure. libc's private __libc_dlopen_mode would open the file,
 * but without dlsym the program could not use it. */
static void *no_dlopen(void)
{
    return NULL;
}

void *cua_find_next(_Atomic(void *) *next, const char *name)
{
    void *found = find_behind(name) ?: cua_find_libcs(name);

    atomic_store_explicit(next, found, memory_order_release);
    return found ? found : (void *)no_dlopen;
}
