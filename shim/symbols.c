/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking into a loaded object's dynamic section. No dlsym: on glibc before 2.34 that would be a
 * second library in every process, and a failed look-up would stay behind in dlerror.
 */
#include <stdint.h>

#include "objects.h"
#include "text.h"

struct dynamic {
    const char *strings;
    const ElfW(Sym) * symbols;
    const ElfW(Half) * versions;
    const uint32_t *gnu_hash;
    const uint32_t *hash;
    const ElfW(Dyn) * entries;
    ElfW(Addr) soname;
    bool has_soname;
};

/* glibc adds the load address to these entries in place, musl and the vDSO leave them as linked. */
static uintptr_t address(const struct dl_phdr_info *object, ElfW(Addr) value)
{
    return value < object->dlpi_addr ? object->dlpi_addr + value : value;
}

static const ElfW(Dyn) * dynamic_entries(const struct dl_phdr_info *object)
{
    size_t i;

    for (i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    return NULL;
}

static bool read_dynamic(const struct dl_phdr_info *object, struct dynamic *dynamic)
{
    const ElfW(Dyn) *entry = dynamic_entries(object);

    dynamic->entries = entry;
    dynamic->strings = NULL;
    dynamic->symbols = NULL;
    dynamic->versions = NULL;
    dynamic->gnu_hash = NULL;
    dynamic->hash = NULL;
    dynamic->has_soname = false;
    if (!entry)
        return false;
    for (; entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_STRTAB:
            dynamic->strings = (const char *)address(object, entry->d_un.d_ptr);
            break;
        case DT_SYMTAB:
            dynamic->symbols = (const ElfW(Sym) *)address(object, entry->d_un.d_ptr);
            break;
        case DT_VERSYM:
            dynamic->versions = (const ElfW(Half) *)address(object, entry->d_un.d_ptr);
            break;
        case DT_GNU_HASH:
            dynamic->gnu_hash = (const uint32_t *)address(object, entry->d_un.d_ptr);
            break;
        case DT_HASH:
            dynamic->hash = (const uint32_t *)address(object, entry->d_un.d_ptr);
            break;
        case DT_SONAME:
            dynamic->soname = entry->d_un.d_val;
            dynamic->has_soname = true;
            break;
        }
    }
    return dynamic->strings && dynamic->symbols;
}

/* 0: not this one; 1: an old version of it, which ld.so hides from plain references; 2: it. */
static int fits(const struct dynamic *dynamic, uint32_t index, const char *name)
{
    const ElfW(Sym) *symbol = &dynamic->symbols[index];
    unsigned type = symbol->st_info & 15, bind = symbol->st_info >> 4;
    unsigned version;

    if (symbol->st_shndx == SHN_UNDEF || (bind != STB_GLOBAL && bind != STB_WEAK))
        return 0;
    if (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE)
        return 0;
    if (!cua_same(dynamic->strings + symbol->st_name, name))
        return 0;
    if (!dynamic->versions)
        return 2;
    version = dynamic->versions[index];
    if ((version & 0x7fff) == VER_NDX_LOCAL)
        return 0;
    return version & 0x8000 ? 1 : 2;
}

struct best {
    uint32_t index;
    int fit;
};

static bool consider(const struct dynamic *dynamic, uint32_t index, const char *name,
                     struct best *best)
{
    int fit = fits(dynamic, index, name);

    if (fit > best->fit) {
        best->fit = fit;
        best->index = index;
    }
    return best->fit == 2;
}

static void by_gnu_hash(const struct dynamic *dynamic, const char *name, struct best *best)
{
    const uint32_t *table = dynamic->gnu_hash;
    uint32_t buckets = table[0], first = table[1], words = table[2], shift = table[3];
    const ElfW(Addr) *bloom = (const ElfW(Addr) *)(const void *)(table + 4);
    const uint32_t *bucket = (const uint32_t *)(const void *)(bloom + words);
    const uint32_t *chain = bucket + buckets;
    unsigned bits = sizeof(ElfW(Addr)) * 8;
    uint32_t hash = 5381, index, link;
    ElfW(Addr) word;
    const char *c;

    for (c = name; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    if (!buckets || !words)
        return;
    word = bloom[(hash / bits) % words];
    if (!(word >> (hash % bits) & word >> ((hash >> shift) % bits) & 1))
        return;
    index = bucket[hash % buckets];
    if (index < first)
        return;
    do {
        link = chain[index - first];
        if ((link | 1) == (hash | 1) && consider(dynamic, index, name, best))
            return;
        index++;
    } while (!(link & 1));
}

static void by_hash(const struct dynamic *dynamic, const char *name, struct best *best)
{
    const uint32_t *table = dynamic->hash;
    uint32_t buckets = table[0], count = table[1], hash = 0, index, high;
    const uint32_t *bucket = table + 2, *chain = bucket + buckets;
    const char *c;

    for (c = name; *c; c++) {
        hash = (hash << 4) + (unsigned char)*c;
        high = hash & 0xf0000000;
        hash = (hash ^ high >> 24) & ~high;
    }
    if (!buckets)
        return;
    for (index = bucket[hash % buckets]; index && index < count; index = chain[index])
        if (consider(dynamic, index, name, best))
            return;
}

void *cua_object_symbol(const struct dl_phdr_info *object, const char *name)
{
    struct best best = {0, 0};
    struct dynamic dynamic;

    if (!read_dynamic(object, &dynamic))
        return NULL;
    if (dynamic.gnu_hash)
        by_gnu_hash(&dynamic, name, &best);
    else if (dynamic.hash)
        by_hash(&dynamic, name, &best);
    if (!best.fit)
        return NULL;
    return (void *)(object->dlpi_addr + dynamic.symbols[best.index].st_value);
}

const char *cua_object_soname(const struct dl_phdr_info *object)
{
    struct dynamic dynamic;

    if (!read_dynamic(object, &dynamic) || !dynamic.has_soname)
        return NULL;
    return dynamic.strings + dynamic.soname;
}

/* ---- what the program needs ------------------------------------------------------------------ */

#define OBJECTS_MAX 1024

struct closure {
    uint64_t wanted[OBJECTS_MAX / 64]; /* by place in the list: in the program's closure */
    uint64_t done[OBJECTS_MAX / 64];   /* its needs were followed */
    size_t place;
    const char *need; /* inner walk: who is this */
    bool changed, libcuda;
};

static bool is_called(const struct dl_phdr_info *object, const char *file)
{
    const char *name = object->dlpi_name, *soname;

    if (cua_same(cua_file(name, cua_length(name)), file))
        return true;
    soname = cua_object_soname(object);
    return soname && cua_same(soname, file);
}

static int want(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct closure *closure = arg;
    size_t place = closure->place++;

    (void)size;
    if (place >= OBJECTS_MAX)
        return 1;
    if (closure->wanted[place / 64] >> (place % 64) & 1 || !is_called(object, closure->need))
        return 0;
    closure->wanted[place / 64] |= 1ull << (place % 64);
    closure->changed = true;
    return 1;
}

static int follow(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct closure *closure = arg;
    size_t place = closure->place++;
    const ElfW(Dyn) * entry;
    struct dynamic dynamic;
    const char *need;

    (void)size;
    if (place >= OBJECTS_MAX)
        return 1;
    if (place && !(closure->wanted[place / 64] >> (place % 64) & 1))
        return 0;
    if (closure->done[place / 64] >> (place % 64) & 1 || !read_dynamic(object, &dynamic))
        return 0;
    closure->done[place / 64] |= 1ull << (place % 64);
    for (entry = dynamic.entries; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag != DT_NEEDED)
            continue;
        need = dynamic.strings + entry->d_un.d_val;
        need = cua_file(need, cua_length(need));
        if (cua_starts(need, "libcuda.so")) {
            closure->libcuda = true;
            return 1;
        }
        closure->need = need;
        closure->place = 0;
        dl_iterate_phdr(want, closure);
    }
    closure->place = place + 1;
    return 0;
}

bool cua_object_program_needs_libcuda(void)
{
    struct closure closure;
    size_t i;

    for (i = 0; i < OBJECTS_MAX / 64; i++)
        closure.wanted[i] = closure.done[i] = 0;
    closure.libcuda = false;
    do {
        closure.changed = false;
        closure.place = 0;
        dl_iterate_phdr(follow, &closure);
    } while (closure.changed && !closure.libcuda);
    return closure.libcuda;
}

void cua_object_construct(const struct dl_phdr_info *object, int argc, char **argv, char **env)
{
    const ElfW(Dyn) *entry = dynamic_entries(object);
    void (*const *list)(int, char **, char **) = NULL;
    void (*init)(int, char **, char **) = NULL;
    size_t count = 0, i;

    for (; entry && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_INIT)
            init = (void (*)(int, char **, char **))address(object, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_INIT_ARRAY)
            list = (void (*const *)(int, char **, char **))address(object, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_INIT_ARRAYSZ)
            count = entry->d_un.d_val / sizeof(*list);
    }
    if (init)
        init(argc, argv, env);
    for (i = 0; list && i < count; i++)
        list[i](argc, argv, env);
}
