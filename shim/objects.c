/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"
#include "objects.h"
#include "text.h"

/* The shim is linked from address 0 on, so that its load address is where its header lies. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

static bool is_self(uintptr_t base)
{
    return base == (uintptr_t)__ehdr_start;
}

static bool is_libc(const char *file)
{
    return cua_same(file, "libc.so.6");
}

static void note_libc(struct cua_survey *survey)
{
    if (survey->self)
        survey->libc_behind = true;
    else
        survey->libc_before = true;
}

static void note(struct cua_survey *survey, uintptr_t base, const char *name)
{
    const char *file;

    if (is_self(base)) {
        survey->self = name;
        return;
    }
    file = cua_file(name, cua_length(name));
    if (file[0] != 'l' || file[1] != 'i' || file[2] != 'b' || file[3] != 'c')
        return;
    if (is_libc(file))
        note_libc(survey);
    else if (!survey->libcuda && cua_starts(file, "libcuda.so"))
        survey->libcuda = name;
}

static int survey_one(struct dl_phdr_info *object, size_t size, void *arg)
{
    (void)size;
    note(arg, object->dlpi_addr, object->dlpi_name);
    return 0;
}

/* libc under another name: preloaded as libc-2.31.so, say. */
static int survey_soname(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct cua_survey *survey = arg;
    const char *soname;

    (void)size;
    if (is_self(object->dlpi_addr)) {
        survey->self = object->dlpi_name;
        return 0;
    }
    soname = cua_object_soname(object);
    if (!soname || !is_libc(soname))
        return 0;
    note_libc(survey);
    return 1;
}

static void survey_by_soname(struct cua_survey *survey)
{
    survey->self = NULL;
    dl_iterate_phdr(survey_soname, survey);
}

static void clear(struct cua_survey *survey)
{
    survey->self = survey->libcuda = NULL;
    survey->libc_before = survey->libc_behind = false;
}

void cua_survey(struct cua_survey *survey)
{
    clear(survey);
    dl_iterate_phdr(survey_one, survey);
    if (!survey->libc_before && !survey->libc_behind)
        survey_by_soname(survey);
}

/*
 * The shim's entry in ld.so's list. The second word of the table behind a lazily bound PLT is
 * what PLT0 hands to ld.so's resolver, and in glibc that is the link_map. musl binds nothing
 * lazily and leaves it zero, and so does LD_BIND_NOW; NULL then.
 */
static const struct link_map *own_map(void)
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
    return map && map->l_ld == _DYNAMIC ? map : NULL;
}

/* dl_iterate_phdr would have to be bound, which costs as much as all the rest of the check. */
void cua_survey_at_start(struct cua_survey *survey)
{
    const struct link_map *map = own_map();

    if (!map) {
        cua_survey(survey);
        return;
    }
    clear(survey);
    while (map->l_prev)
        map = map->l_prev;
    for (; map; map = map->l_next)
        note(survey, map->l_addr, map->l_name);
    if (!survey->libc_before && !survey->libc_behind)
        survey_by_soname(survey);
}

static bool is_libc_object(const struct dl_phdr_info *object)
{
    const char *soname;

    if (is_libc(cua_file(object->dlpi_name, cua_length(object->dlpi_name))))
        return true;
    soname = cua_object_soname(object);
    return soname && is_libc(soname);
}

struct search_symbol {
    const char *name;
    void *address;
};

static int symbol_in_libc(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct search_symbol *search = arg;

    (void)size;
    if (!is_libc_object(object))
        return 0;
    search->address = cua_object_symbol(object, search->name);
    return 1;
}

void *cua_object_libc_symbol(const char *name)
{
    struct search_symbol search = {name, NULL};

    dl_iterate_phdr(symbol_in_libc, &search);
    return search.address;
}

/* Where libc has its variable: the program's copy, where it has one. */
static int first_symbol(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct search_symbol *search = arg;

    (void)size;
    search->address = cua_object_symbol(object, search->name);
    return search->address != NULL;
}

struct start {
    int argc;
    char **argv, **env;
};

/* Before glibc 2.34 libdl keeps the arguments too. */
static int start_one(struct dl_phdr_info *object, size_t size, void *arg)
{
    const char *file = cua_file(object->dlpi_name, cua_length(object->dlpi_name));
    const struct start *start = arg;

    (void)size;
    if (cua_same(file, "libdl.so.2") || is_libc_object(object))
        cua_object_construct(object, start->argc, start->argv, start->env);
    return 0;
}

void cua_object_start_libc(int argc, char **argv, char **env)
{
    struct start start = {argc, argv, env};
    struct search_symbol known = {"__environ", NULL};

    dl_iterate_phdr(first_symbol, &known);
    if (known.address && !*(char ***)known.address)
        dl_iterate_phdr(start_one, &start);
}

struct search_next {
    struct cua_next *next;
    bool behind; /* the shim was passed */
};

static void take_next(struct cua_next *next, const struct dl_phdr_info *object)
{
    if (!next->dlopen)
        next->dlopen = cua_object_symbol(object, "dlopen");
    if (!next->dlmopen)
        next->dlmopen = cua_object_symbol(object, "dlmopen");
}

static int next_behind(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct search_next *search = arg;

    (void)size;
    if (is_self(object->dlpi_addr))
        search->behind = true;
    else if (search->behind)
        take_next(search->next, object);
    return search->next->dlopen && search->next->dlmopen;
}

/* A shim that was loaded by dlopen has nothing behind it. Of what stands before, only libc itself
 * will do: another preload's dlopen there may be waiting for the next one, which is the shim. */
static int next_in_libc(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct search_next *search = arg;
    const char *file = cua_file(object->dlpi_name, cua_length(object->dlpi_name));

    (void)size;
    if (is_libc(file) || cua_same(file, "libdl.so.2"))
        take_next(search->next, object);
    return 0;
}

void cua_object_next(struct cua_next *next)
{
    struct search_next search = {next, false};

    next->dlopen = next->dlmopen = NULL;
    dl_iterate_phdr(next_behind, &search);
    if (!next->dlopen || !next->dlmopen)
        dl_iterate_phdr(next_in_libc, &search);
}

struct search {
    const char *text;
    size_t length;
    struct dl_phdr_info *object;
    bool found;
};

static bool file_is(const char *path, const struct search *search)
{
    size_t length = cua_length(path);

    if (length < search->length || !cua_same(path + length - search->length, search->text))
        return false;
    return length == search->length || path[length - search->length - 1] == '/';
}

static int match_file(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct search *search = arg;

    (void)size;
    if (!file_is(object->dlpi_name, search))
        return 0;
    if (search->object)
        *search->object = *object;
    search->found = true;
    return 1;
}

static int match_soname(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct search *search = arg;
    const char *soname = cua_object_soname(object);

    (void)size;
    search->found = soname && cua_same(soname, search->text);
    return search->found;
}

static int match_path(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct search *search = arg;

    (void)size;
    if (!cua_same(object->dlpi_name, search->text))
        return 0;
    if (search->object)
        *search->object = *object;
    search->found = true;
    return 1;
}

bool cua_object_mapped(const char *file)
{
    struct search search = {file, cua_length(file), NULL, false};

    dl_iterate_phdr(match_file, &search);
    if (!search.found)
        dl_iterate_phdr(match_soname, &search);
    return search.found;
}

bool cua_object_mapped_path(const char *path)
{
    struct search search = {path, 0, NULL, false};

    dl_iterate_phdr(match_path, &search);
    return search.found;
}

bool cua_object_find(const char *path, struct dl_phdr_info *object)
{
    struct search search = {path, 0, object, false};

    dl_iterate_phdr(match_path, &search);
    if (!search.found) {
        search.text = cua_file(path, cua_length(path));
        search.length = cua_length(search.text);
        dl_iterate_phdr(match_file, &search);
    }
    return search.found;
}

void cua_object_range(const struct dl_phdr_info *object, uintptr_t *low, uintptr_t *high)
{
    const ElfW(Phdr) * header;
    uintptr_t end;
    size_t i;

    *low = UINTPTR_MAX;
    *high = 0;
    for (i = 0; i < object->dlpi_phnum; i++) {
        header = &object->dlpi_phdr[i];
        if (header->p_type != PT_LOAD)
            continue;
        end = object->dlpi_addr + header->p_vaddr + header->p_memsz;
        if (object->dlpi_addr + header->p_vaddr < *low)
            *low = object->dlpi_addr + header->p_vaddr;
        if (end > *high)
            *high = end;
    }
}
