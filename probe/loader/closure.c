/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what a library would bring in: the libraries that it needs, and the libraries that these
 * need in turn, in the order in which ld.so loads them. closure.h explains the terms. */
#include "loader/closure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/file.h"
#include "loader/expand.h"
#include "loader/mapped.h"
#include "loader/search.h"
#include "base/text.h"
#include "machine/log.h"

#define MAX_LIBRARIES 512
#define MAX_NAME      512
#define WANTED        "libcuda.so.1"

struct library {
    const struct library *by; /* the library that needs this one; NULL: none */
    /* True: `paths` is the library's RUNPATH. False: `paths` is its RPATH. Neither is expanded. */
    bool runpath;
    const char *path, *soname, *paths; /* `path` is one that this process can open */
    /* The names of the needed libraries, each with its NUL, then "". Each name follows a '!' (from
     * DT_NEEDED or DT_FILTER) or a '?' (from DT_AUXILIARY). If a library with '?' is missing, ld.so
     * ignores that, and closure->visit is not called. */
    const char *needs;
    char name[]; /* the name that was requested; the other texts follow it in memory */
};

/* Too large for a thread's stack, so it is allocated. */
struct closure {
    struct cua_search search;
    bool own; /* the subject is this process, so its mapped objects count */
    struct library *library[MAX_LIBRARIES];
    size_t count;
    char *libcuda;
    bool found; /* libcuda.so.1 is among the needs */
    cua_closure_visit *visit;
    void *data;
    struct cua_elf elf;          /* the library that was found last; open while it is read */
    struct cua_requester asking; /* the object on whose behalf libraries are searched now */
    /* `text`: the texts of the record that is being made. `path`: the file that was found last. */
    char text[64 << 10], path[PATH_MAX];
};

static char *put(char *to, const char *text)
{
    size_t size = strlen(text) + 1;

    memcpy(to, text, size);
    return to + size;
}

static char *put_value(char *to, struct cua_elf *elf, int64_t tag)
{
    uint64_t at;

    to[0] = 0;
    if (cua_elf_value(elf, tag, &at))
        cua_elf_string(elf, at, to, 2 * PATH_MAX);
    return to + strlen(to) + 1;
}

static char *put_needs(char *to, const char *end, struct cua_elf *elf)
{
    for (unsigned i = 0; i < elf->entries && to < end - MAX_NAME - 2; i++) {
        int64_t tag = elf->entry[i].d_tag;
        if ((tag == DT_NEEDED || tag == DT_AUXILIARY || tag == DT_FILTER) &&
            cua_elf_string(elf, elf->entry[i].d_un.d_val, to + 1, MAX_NAME)) {
            *to = tag == DT_AUXILIARY ? '?' : '!';
            to += strlen(to) + 1;
        }
    }
    return put(to, "");
}

/* Returns the record of the library that was just found, made from closure->path and closure->elf.
 * If the file is damaged, the caller has set elf.entries to 0, so the record has no SONAME, search
 * paths or needs. NULL: no memory. */
static struct library *make(struct closure *closure, const struct library *by, const char *name)
{
    struct cua_elf *elf = &closure->elf;
    struct library *library;
    uint64_t at;
    bool runpath = cua_elf_value(elf, DT_RUNPATH, &at);
    char *to = put(put(closure->text, name), closure->path);

    to = put_value(put_value(to, elf, DT_SONAME), elf, runpath ? DT_RUNPATH : DT_RPATH);
    to = put_needs(to, closure->text + sizeof closure->text, elf);
    library = malloc(sizeof *library + (size_t)(to - closure->text));
    if (!library)
        return NULL;
    memcpy(library->name, closure->text, (size_t)(to - closure->text));
    library->by = by;
    library->runpath = runpath;
    library->path = library->name + strlen(name) + 1;
    library->soname = library->path + strlen(library->path) + 1;
    library->paths = library->soname + strlen(library->soname) + 1;
    library->needs = library->paths + strlen(library->paths) + 1;
    return library;
}

static bool is_known(const struct closure *closure, const char *name)
{
    if (closure->own && cua_mapped_find(name))
        return true;
    for (size_t i = 0; i < closure->count; i++) {
        const struct library *l = closure->library[i];
        if (strcmp(l->name, name) == 0 || strcmp(l->soname, name) == 0 ||
            strcmp(l->path, name) == 0)
            return true;
    }
    return false;
}

/* Finds a library and reads it in the same step, so that its file is opened only once. Adds it to
 * the list, even if it is damaged. Returns 0; -ENOENT if it is not found; -ENOEXEC if it is
 * damaged; -EAGAIN if it could not be read now, or there is no memory; -E2BIG if the list is
 * full. */
static int add(struct closure *closure, const struct cua_requester *requester,
               const struct library *by, const char *name)
{
    struct library *library;
    bool fine;

    if (closure->count == MAX_LIBRARIES) {
        cua_log(CUA_LOG_WARN, "many-needs",
                "%s needs more than %d libraries: whether the others need libcuda is not checked",
                closure->library[0]->path, MAX_LIBRARIES);
        return -E2BIG;
    }
    if (cua_search_find(&closure->search, requester, name, closure->path) != 0)
        return -ENOENT;
    fine = closure->search.state == CUA_ELF_FINE;
    closure->elf.entries = fine ? closure->elf.entries : 0;
    library = make(closure, by, name);
    if (library)
        closure->library[closure->count++] = library;
    if (closure->visit)
        closure->visit(closure->data, fine ? closure->path : name, fine ? &closure->elf : NULL);
    if (fine)
        cua_elf_close(&closure->elf);
    return !library || closure->elf.failed ? -EAGAIN : fine ? 0 : -ENOEXEC;
}

static int follow(struct closure *closure, const struct library *library, const char *need,
                  bool must)
{
    int error;

    if (is_known(closure, need))
        return 0;
    if (strcmp(need, WANTED) == 0) {
        closure->search.elf = NULL;
        if (!closure->found)
            cua_search_find(&closure->search, &closure->asking, need, closure->libcuda);
        closure->search.elf = &closure->elf;
        closure->found = true;
        return 0;
    }
    error = add(closure, &closure->asking, library, need);
    if (error == -ENOENT && must && closure->visit)
        closure->visit(closure->data, need, NULL);
    /* Only -E2BIG ends the search. A needed library that is missing or damaged does not: ld.so will
     * report it. A library that could not be read now makes the result uncertain. */
    closure->search.unsure |= error == -EAGAIN;
    return error == -E2BIG ? error : 0;
}

/* Follows the needs of one library. ld.so searches for the needs in the RPATHs of this library, of
 * those that loaded it, and of the program. If this library has a RUNPATH, even one that expands to
 * nothing, ld.so ignores all these RPATHs. */
static int follow_library(struct closure *closure, const struct library *library)
{
    struct cua_requester *asking = &closure->asking;
    struct cua_ldso *ldso = &closure->search.ldso;
    int error = 0;

    asking->runpath = library->runpath;
    asking->list[0] = 0;
    cua_requester_add(asking, ldso, library->path, library->paths);
    for (const struct library *l = library->by; l && !asking->runpath; l = l->by)
        cua_requester_add(asking, ldso, l->path, l->runpath ? "" : l->paths);
    if (!asking->runpath && closure->own && cua_mapped()->object->rpath[0])
        cua_requester_add(asking, ldso, cua_mapped_program(), cua_mapped()->object->rpath);
    cua_expand_origin(library->path, asking->origin);
    for (const char *need = library->needs; *need && !error; need += strlen(need) + 1)
        error = follow(closure, library, need + 1, *need == '!');
    return error;
}

static int follow_all(struct closure *closure, const struct cua_requester *requester,
                      const char *name)
{
    int error;

    if (closure->own && cua_mapped_find(name))
        return 0;
    error = add(closure, requester, NULL, name);
    for (size_t i = 0; !error && i < closure->count; i++)
        error = follow_library(closure, closure->library[i]);
    return error == -E2BIG ? 0 : error;
}

int cua_loader_brings_libcuda(const struct cua_subject *subject,
                              const struct cua_requester *requester, const char *name,
                              char *libcuda, bool (*keep)(const char *base),
                              char *needed[CUA_NEEDED + 1], cua_closure_visit *visit, void *data)
{
    struct closure *closure = malloc(sizeof *closure);
    size_t kept = 0;
    int result;

    libcuda[0] = 0;
    needed[0] = NULL;
    if (!closure)
        return -ENOMEM;
    closure->count = 0;
    closure->found = false;
    closure->visit = visit;
    closure->data = data;
    closure->own = cua_subject_is_own(subject);
    closure->libcuda = libcuda;
    cua_search_start(&closure->search, subject, visit);
    closure->search.elf = &closure->elf;
    result = follow_all(closure, requester, name);
    if (result == 0)
        result = closure->search.unsure ? -EAGAIN : closure->found;
    for (size_t i = 0; i < closure->count; i++) {
        if (result == 1 && keep && kept < CUA_NEEDED &&
            keep(cua_basename(closure->library[i]->path)) &&
            (needed[kept] = strdup(closure->library[i]->path)))
            kept++;
        free(closure->library[i]);
    }
    needed[kept] = NULL;
    cua_search_end(&closure->search);
    free(closure);
    return result;
}
