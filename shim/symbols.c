/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the dynamic section of a loaded object. dlsym will not do: before glibc 2.34 it would bring
 * libdl into every process, and a failed look-up would show in the program's dlerror. */
#include <stdint.h>

#include "objects.h"
#include "text.h"

struct search {
    const struct link_map *object;
    const char *name, *strings;
    const ElfW(Sym) * symbols;
    const ElfW(Half) * versions;
    const ElfW(Sym) * found; /* may be an old, hidden version so far */
};

static uintptr_t distance(uintptr_t a, uintptr_t b)
{
    return a < b ? b - a : a - b;
}

/* glibc adds the load address to these entries in place; musl and the vDSO leave them as linked.
 * The right one of the two addresses lies near the object's dynamic section. (An object linked at
 * an address above the one where it lies has a load address below zero.) */
static uintptr_t address(const struct link_map *object, ElfW(Addr) value)
{
    uintptr_t moved = object->l_addr + value, here = (uintptr_t)object->l_ld;

    return distance(moved, here) < distance(value, here) ? moved : value;
}

const ElfW(Dyn) * cua_dynamic_find(const ElfW(Dyn) * entry, ElfW(Sxword) tag)
{
    while (entry && entry->d_tag != DT_NULL && entry->d_tag != tag)
        entry++;
    return entry && entry->d_tag == tag ? entry : NULL;
}

const void *cua_object_table(const struct link_map *object, ElfW(Sxword) tag)
{
    const ElfW(Dyn) *entry = cua_dynamic_find(object->l_ld, tag);

    return entry ? (const void *)address(object, entry->d_un.d_ptr) : NULL;
}

/* True if the symbol is the one. A hidden old version is kept in case there is no other. */
static bool consider(struct search *search, uint32_t index)
{
    const ElfW(Sym) * symbol;
    unsigned type, bind, version;

    if (!search->symbols) {
        search->strings = cua_object_table(search->object, DT_STRTAB);
        search->symbols = cua_object_table(search->object, DT_SYMTAB);
        search->versions = cua_object_table(search->object, DT_VERSYM);
    }
    if (!search->strings || !search->symbols)
        return false;
    symbol = &search->symbols[index];
    type = symbol->st_info & 15;
    bind = symbol->st_info >> 4;
    version = search->versions ? search->versions[index] : VER_NDX_GLOBAL;
    if (symbol->st_shndx == SHN_UNDEF || (bind != STB_GLOBAL && bind != STB_WEAK) ||
        (type > STT_FUNC && type != STT_GNU_IFUNC) || (version & 0x7fff) == VER_NDX_LOCAL ||
        !cua_same(search->strings + symbol->st_name, search->name))
        return false;
    search->found = symbol;
    return !(version & 0x8000);
}

/* The Bloom filter of GNU's table, which rules out nearly all that an object does not export. */
static inline bool may_have(const uint32_t *table, uint32_t hash)
{
    const ElfW(Addr) *bloom = (const ElfW(Addr) *)(const void *)(table + 4);
    const unsigned bits = sizeof(ElfW(Addr)) * 8;
    /* Their number is a power of two, as ld.so asserts. */
    ElfW(Addr) word = table[2] ? bloom[(hash / bits) & (table[2] - 1)] : 0;

    return word >> (hash % bits) & word >> ((hash >> table[3]) % bits) & 1;
}

static uint32_t gnu_hash_of(const char *name)
{
    uint32_t hash = 5381;

    while (*name)
        hash = hash * 33 + (unsigned char)*name++;
    return hash;
}

static void by_gnu_hash(struct search *search, const uint32_t *table, uint32_t hash)
{
    uint32_t buckets = table[0], first = table[1];
    const ElfW(Addr) *bloom = (const ElfW(Addr) *)(const void *)(table + 4);
    const uint32_t *bucket = (const uint32_t *)(const void *)(bloom + table[2]);
    const uint32_t *chain = bucket + buckets;
    uint32_t index, link;

    if (!buckets)
        return;
    index = bucket[hash % buckets];
    if (index < first)
        return;
    do {
        link = chain[index - first];
        if ((link | 1) == (hash | 1) && consider(search, index))
            return;
        index++;
    } while (!(link & 1));
}

static void by_hash(struct search *search, const uint32_t *table)
{
    uint32_t buckets = table[0], count = table[1], hash = 0, index, high;
    const uint32_t *bucket = table + 2, *chain = bucket + buckets;
    const char *c;

    for (c = search->name; *c; c++) {
        hash = (hash << 4) + (unsigned char)*c;
        high = hash & 0xf0000000;
        hash = (hash ^ high >> 24) & ~high;
    }
    if (!buckets)
        return;
    for (index = bucket[hash % buckets]; index && index < count; index = chain[index])
        if (consider(search, index))
            return;
}

static bool look_up(struct search *search, const uint32_t *gnu, uint32_t hash)
{
    const uint32_t *old = gnu ? NULL : cua_object_table(search->object, DT_HASH);

    search->found = NULL;
    if (gnu && may_have(gnu, hash))
        by_gnu_hash(search, gnu, hash);
    else if (old)
        by_hash(search, old);
    return search->found;
}

/* Of what is chosen when it is bound (IFUNC) the address is not known. */
void *cua_object_symbol(const struct link_map *object, const char *name)
{
    const uint32_t *gnu = cua_object_table(object, DT_GNU_HASH);
    struct search search = {.object = object, .name = name};

    if (!look_up(&search, gnu, gnu ? gnu_hash_of(name) : 0) ||
        (search.found->st_info & 15) == STT_GNU_IFUNC)
        return NULL;
    return (void *)(object->l_addr + search.found->st_value);
}

/* Reads the few hashes of a small table. */
static bool may_export(const uint32_t *gnu, const uint64_t *filter)
{
    const uint32_t *bucket = gnu + 4 + 2 * gnu[2], *chain = bucket + gnu[0], *link;
    size_t i;

    for (i = 0; i < gnu[0]; i++) {
        if (!bucket[i])
            continue;
        link = chain + (bucket[i] - gnu[1]);
        do
            if (filter[*link / 128 % 32] >> *link / 2 % 64 & 1 &&
                filter[*link / 262144 % 32] >> *link / 4096 % 64 & 1)
                return true;
        while (!(*link++ & 1));
    }
    return false;
}

unsigned cua_object_exports(const struct link_map *object, const struct cua_import *imports,
                            size_t count, const uint64_t *filter, const char *names)
{
    const uint32_t *gnu = cua_object_table(object, DT_GNU_HASH);
    struct search search = {.object = object};
    unsigned kinds = 0;

    if (gnu && gnu[2] <= 2 && !may_export(gnu, filter))
        return 0;
    for (; count; count--, imports++) {
        search.name = names + imports->at;
        if ((!gnu || may_have(gnu, imports->hash)) && look_up(&search, gnu, imports->hash))
            kinds |= imports->kind;
    }
    return kinds;
}

const char *cua_object_soname(const struct link_map *object)
{
    const ElfW(Dyn) *entry = cua_dynamic_find(object->l_ld, DT_SONAME);
    const char *strings = entry ? cua_object_table(object, DT_STRTAB) : NULL;

    return strings ? strings + entry->d_un.d_val : NULL;
}

bool cua_object_has_paths(const struct link_map *object)
{
    const char *name = object->l_name;

    /* The vDSO of some kernels has one, but is no file. */
    return (!*name || cua_file(name) != name) &&
           (cua_dynamic_find(object->l_ld, DT_RUNPATH) || cua_dynamic_find(object->l_ld, DT_RPATH));
}

bool cua_object_called(const struct link_map *object, const char *file)
{
    const char *soname = cua_object_soname(object);

    return cua_same(cua_file(object->l_name), file) || (soname && cua_same(soname, file));
}

void cua_object_construct(const struct link_map *object, int argc, char **argv, char **env)
{
    typedef void function(int, char **, char **);
    function *init = (function *)cua_object_table(object, DT_INIT);
    function *const *list = cua_object_table(object, DT_INIT_ARRAY);
    const ElfW(Dyn) *size = cua_dynamic_find(object->l_ld, DT_INIT_ARRAYSZ);
    size_t i;

    if (init)
        init(argc, argv, env);
    for (i = 0; list && size && i < size->d_un.d_val / sizeof(*list); i++)
        list[i](argc, argv, env);
}
