/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the symbols and strings of a loaded object by its dynamic section. Does not use dlsym:
 * before glibc 2.34 that would bring libdl into every process, and a failed look-up would show in
 * the program's dlerror. */
#include <stdint.h>

#include "objects.h"
#include "text.h"

struct search {
    const struct link_map *object;
    const char *name, *strings;
    const ElfW(Sym) * symbols;
    const ElfW(Half) * versions;
    /* The best symbol so far. A symbol of an old version (name@VERSION, hidden) is replaced if
     * another is found. */
    const ElfW(Sym) * found;
};

static uintptr_t distance(uintptr_t a, uintptr_t b)
{
    return a < b ? b - a : a - b;
}

/* Turns a value from the dynamic section into an address. glibc adds the load address to some
 * entries in place; musl and the vDSO leave them as linked. So either the value or its sum with the
 * load address is right. This takes the one that lies nearer to the object's dynamic section.
 * (Comparing the value with the load address would not do: an object that lies below the address
 * where it was linked has a load address below zero.) */
uintptr_t cua_object_address(const struct link_map *object, ElfW(Addr) value)
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

    return entry ? (const void *)cua_object_address(object, entry->d_un.d_ptr) : NULL;
}

/* Looks at one symbol. If it is the one that is searched for, stores it in `found`. Returns true if
 * that symbol has the default version. With an old version (hidden) it counts only if there is no
 * other. */
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

/* Whether the object may export the symbol. Uses the Bloom filter of the object's GNU hash table,
 * which excludes nearly all symbols that the object does not export. */
static inline bool may_have(const uint32_t *table, uint32_t hash)
{
    const ElfW(Addr) *bloom = (const ElfW(Addr) *)(const void *)(table + 4);
    const unsigned bits = sizeof(ElfW(Addr)) * 8;
    /* The number of words is a power of two, as ld.so asserts. */
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

/* For an IFUNC this returns NULL, because only its resolver knows the address. */
void *cua_object_symbol(const struct link_map *object, const char *name)
{
    const uint32_t *gnu = cua_object_table(object, DT_GNU_HASH);
    struct search search = {.object = object, .name = name};

    if (!look_up(&search, gnu, gnu ? gnu_hash_of(name) : 0) ||
        (search.found->st_info & 15) == STT_GNU_IFUNC)
        return NULL;
    return (void *)(object->l_addr + search.found->st_value);
}

const char *cua_object_text(const struct link_map *object, ElfW(Sxword) tag)
{
    const ElfW(Dyn) *entry = cua_dynamic_find(object->l_ld, tag);
    const char *strings = entry ? cua_object_table(object, DT_STRTAB) : NULL;

    return strings ? strings + entry->d_un.d_val : NULL;
}

bool cua_object_called(const struct link_map *object, const char *file)
{
    const char *soname = cua_object_text(object, DT_SONAME);

    return cua_same(cua_file(object->l_name), file) || (soname && cua_same(soname, file));
}
