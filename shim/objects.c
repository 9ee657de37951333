/* SPDX-License-Identifier: Apache-2.0 */
/* Walks ld.so's list directly, under the lock that libc's own dl_iterate_phdr takes. A plain call
 * of dl_iterate_phdr might reach the program's: that may show an old copy of the list, or take a
 * lock of its own. */
#include <linux/futex.h>
#include <time.h>

#include "objects.h"
#include "process.h"
#include "syscalls.h"
#include "text.h"

/* The shim is linked from address 0 on, so that its load address is where its header lies. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

/* The shim's entry in the list. The second word of the table behind a lazily bound PLT is what PLT0
 * hands to ld.so's resolver, and in glibc that is the link_map. It stays empty where nothing is
 * bound lazily: on musl, which leaves the table's address as linked, under LD_BIND_NOW, after
 * RTLD_NOW. */
static const struct link_map *from_plt(void)
{
    const ElfW(Dyn) *entry = cua_dynamic_find(_DYNAMIC, DT_PLTGOT);
    const struct link_map *map = NULL;

    if (entry && entry->d_un.d_ptr > (uintptr_t)__ehdr_start)
        map = ((const struct link_map *const *)entry->d_un.d_ptr)[1];
    return map && cua_object_is_self(map) ? map : NULL;
}

/* The dynamic section of these headers; their PT_PHDR says where they lie, else `base`. */
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

/* Stops where debuggers look: the program's DT_DEBUG, which not every linker and program has; else
 * what glibc's ld.so exports. To import that would cost each process its look-up. */
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

/* What the kernel loaded besides the program, which is ld.so, or ld.so alone. */
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

    for (; map && !symbol; map = map->l_next)
        symbol = cua_object_symbol(map, name);
    return symbol;
}

bool cua_is_needed(const char *name, bool whole)
{
    const struct link_map *map;
    const ElfW(Dyn) * entry;
    const char *strings, *file;

    for (map = cua_objects(); map; map = map->l_next) {
        strings = cua_object_table(map, DT_STRTAB);
        entry = map->l_ld;
        for (; strings && (entry = cua_dynamic_find(entry, DT_NEEDED)); entry++) {
            file = cua_file(strings + entry->d_un.d_val);
            if (whole ? cua_same(file, name) : cua_starts(file, name))
                return true;
        }
    }
    return false;
}

/* libc's own dl_iterate_phdr; NULL on musl. */
static __attribute__((noinline)) cua_iterate *find_iterate(void)
{
    const struct link_map *libc = CUA_GET(libc);
    cua_iterate *iterate = libc ? (cua_iterate *)cua_object_symbol(libc, "dl_iterate_phdr") : NULL;

    CUA_SET(iterate, iterate);
    return iterate;
}

/* A child of fork never gets a lock that another thread held at that moment. So a fork waits until
 * no other thread holds the list for the shim, and lets none begin. Both wait for a limited time,
 * enough to copy a large program or to get the processor again, since the one may be waiting for
 * the other. After a wait in vain the next is short: it may be for the thread's own hold. */
static _Atomic(int) holding, forking;

static __attribute__((noinline)) void wait_for(_Atomic(int) *word)
{
    static _Atomic(int) patience = 250; /* 75 ms, with what the kernel adds */
    struct timespec time = {0, 200000}; /* ns */
    int waits = patience, value;

    for (; waits && (value = atomic_load(word)) > 0; waits--)
        cua_syscall(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, value, (long)&time, 0, 0);
    patience = waits ? 250 : 8;
}

static void before_fork(void)
{
    atomic_fetch_add(&forking, 1);
    wait_for(&holding);
}

static void in_parent(void)
{
    atomic_fetch_sub(&forking, 1);
}

static void in_child(void)
{
    atomic_store(&holding, 0);
    atomic_store(&forking, 0);
}

/* At start-up, since a library's own handler may open libraries: in some versions of glibc nothing
 * can be registered then, and this handler comes after the others. */
void cua_objects_watch_forks(void)
{
    typedef void handler(void);
    int (*add)(handler *, handler *, handler *, void *) =
        (int (*)(handler *, handler *, handler *, void *))cua_object_symbol(CUA_GET(libc),
                                                                            "__register_atfork");

    if (add)
        add(before_fork, in_parent, in_child, &holding);
}

inline void cua_objects_hold(cua_visit *visit, void *arg)
{
    static struct dl_phdr_info unknown; /* on musl, where the shim does nothing */
    cua_iterate *iterate;

    atomic_fetch_add(&holding, 1);
    if (atomic_load(&forking) > 0) {
        atomic_fetch_sub(&holding, 1);
        wait_for(&forking);
        atomic_fetch_add(&holding, 1);
    }
    iterate = CUA_GET(iterate) ?: find_iterate();
    if (iterate)
        iterate(visit, arg);
    else
        visit(&unknown, sizeof(unknown), arg);
    atomic_fetch_sub(&holding, 1);
}

/* ld.so's own number of what was unloaded goes up and down with other namespaces. */
uint64_t cua_objects_unloaded_by(const struct dl_phdr_info *object)
{
    static uint64_t adds, subs, unloaded;
    const struct link_map *map = cua_objects();
    uint64_t left = object->dlpi_adds;

    if (adds == left && subs == object->dlpi_subs) /* as it was */
        return unloaded;
    for (; map; map = map->l_next)
        left--;
    unloaded = left;
    subs = object->dlpi_subs;
    adds = object->dlpi_adds;
    return left;
}

static int note_unloaded(struct dl_phdr_info *object, size_t size, void *unloaded)
{
    (void)size;
    *(uint64_t *)unloaded = object->dlpi_subs;
    return 1;
}

uint64_t cua_objects_unloaded(void)
{
    uint64_t unloaded = 0;

    cua_objects_hold(note_unloaded, &unloaded);
    return unloaded;
}

struct lookup {
    const char *name;
    void *found;
};

/* Searches behind the shim. A shim that came by dlopen has nothing behind it; of the objects before
 * it only libc is safe, since another preload's dlopen may call the next one, which is the shim. */
static int search_objects(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct lookup *lookup = arg;
    const struct link_map *map;
    const char *file;
    bool behind = false;

    (void)object, (void)size;
    for (map = cua_objects(); map && !lookup->found; map = map->l_next) {
        if (behind)
            lookup->found = cua_object_symbol(map, lookup->name);
        behind |= cua_object_is_self(map);
    }
    for (map = cua_objects(); map && !lookup->found; map = map->l_next) {
        file = cua_file(map->l_name);
        if (map == CUA_GET(libc) || cua_same(file, "libdl.so.2"))
            lookup->found = cua_object_symbol(map, lookup->name);
    }
    return 1;
}

/* Before glibc 2.34 a program that does not load libdl has no dlopen, and its weak references to
 * one are NULL. With the shim they lead here, and most callers are prepared for a failure.
 * libc's private __libc_dlopen_mode would open the file, but there is no dlsym to use it with. */
static void *no_dlopen(void)
{
    return NULL;
}

void *cua_find_next(_Atomic(void *) *next, const char *name)
{
    struct lookup lookup = {name, NULL};

    cua_objects_hold(search_objects, &lookup);
    atomic_store_explicit(next, lookup.found, memory_order_release);
    return lookup.found ? lookup.found : (void *)no_dlopen;
}
