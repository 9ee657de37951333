/* SPDX-License-Identifier: Apache-2.0 */
/* What a library would bring in: its needs and theirs, in the order in which ld.so loads them. */
#include "loader/closure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/file.h"
#include "loader/mapped.h"
#include "loader/search.h"
#include "base/text.h"
#include "cuarbiter/libraries.h"
#include "machine/log.h"

#define MAX_LIBRARIES 512
#define MAX_NAME      512
#define WANTED        "libcuda.so.1"

struct library {
    char *name; /* as it was asked for */
    char *path; /* as this process can open it */
    char *soname;
    char *rpath; /* of those that loaded it; once it is read, its own comes first */
};

struct closure {
    struct cua_search search;
    struct cua_mapped mapped;
    struct library *library[MAX_LIBRARIES];
    size_t count;
    char *libcuda;
    bool found; /* libcuda is among them */
    cua_closure_visit *visit;
    void *data;
    /* The library that is being read. */
    struct cua_elf elf;
    struct cua_requester asking;
    /* Too large for a thread's stack. */
    char text[2 * PATH_MAX], path[PATH_MAX], need[MAX_NAME];
};

static void free_library(struct library *library)
{
    free(library->name);
    free(library->path);
    free(library->soname);
    free(library->rpath);
    free(library);
}

/* A text of the library that is being read; "" where there is none. */
static const char *read_text(struct closure *closure, int64_t tag)
{
    uint64_t at;

    closure->text[0] = 0;
    if (cua_elf_value(&closure->elf, tag, &at))
        cua_elf_string(&closure->elf, at, closure->text, sizeof closure->text);
    return closure->text;
}

/* ld.so ignores an RPATH beside a RUNPATH. One that expands to nothing still keeps the RPATHs
 * out. */
static void read_paths(struct closure *closure, struct library *library)
{
    struct cua_requester *asking = &closure->asking;
    uint64_t at;

    if (read_text(closure, DT_SONAME)[0])
        library->soname = strdup(closure->text);
    asking->runpath = cua_elf_value(&closure->elf, DT_RUNPATH, &at);
    asking->list[0] = 0;
    cua_requester_add(asking, &closure->search.ldso, library->path,
                      read_text(closure, asking->runpath ? DT_RUNPATH : DT_RPATH));
    if (asking->runpath)
        return;
    if (asking->list[0])
        cua_append(asking->list, sizeof asking->list, ":");
    cua_append(asking->list, sizeof asking->list, library->rpath);
    free(library->rpath);
    library->rpath = strdup(asking->list);
    closure->search.unsure |= !library->rpath;
}

static bool is_known(const struct closure *closure, const char *name)
{
    if (cua_mapped_find(&closure->mapped, name))
        return true;
    for (size_t i = 0; i < closure->count; i++) {
        const struct library *l = closure->library[i];
        if (strcmp(l->name, name) == 0 || (l->soname && strcmp(l->soname, name) == 0) ||
            strcmp(l->path, name) == 0)
            return true;
    }
    return false;
}

/* `rpath`: of those that load it. */
static int add(struct closure *closure, const char *rpath, const char *name, const char *path)
{
    struct library *library;

    if (closure->count == MAX_LIBRARIES) {
        cua_log(CUA_LOG_WARN, "many-needs", "%s needs more than %d libraries: the rest is not seen",
                closure->library[0]->path, MAX_LIBRARIES);
        return -E2BIG;
    }
    library = calloc(1, sizeof *library);
    if (!library)
        return -ENOMEM;
    library->name = strdup(name);
    library->path = strdup(path);
    library->rpath = strdup(rpath);
    if (!library->name || !library->path || !library->rpath) {
        free_library(library);
        return -ENOMEM;
    }
    closure->library[closure->count++] = library;
    return 0;
}

/* `must`: ld.so refuses the library without it. */
static int follow(struct closure *closure, const struct library *library, const char *need,
                  bool must)
{
    if (is_known(closure, need))
        return 0;
    if (strcmp(need, WANTED) == 0) {
        if (!closure->found)
            cua_search_find(&closure->search, &closure->asking, need, closure->libcuda);
        closure->found = true;
        return 0;
    }
    if (cua_search_find(&closure->search, &closure->asking, need, closure->path) != 0) {
        if (must && closure->visit)
            closure->visit(closure->data, need, NULL);
        return 0;
    }
    return add(closure, library->rpath, need, closure->path);
}

static int read_library(struct closure *closure, struct library *library)
{
    int fd = open(library->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct cua_elf *elf = &closure->elf;
    char *need = closure->need;
    const char *trouble;
    int error = -ENOEXEC;

    if (fd < 0)
        return -errno;
    if (cua_elf_open(elf, fd, closure->search.ldso.machine, &trouble) == CUA_ELF_FINE) {
        read_paths(closure, library);
        error = library->rpath ? 0 : -ENOMEM;
        for (unsigned i = 0; i < elf->entries && !error; i++) {
            int64_t tag = elf->entry[i].d_tag;
            if ((tag == DT_NEEDED || tag == DT_AUXILIARY || tag == DT_FILTER) &&
                cua_elf_string(elf, elf->entry[i].d_un.d_val, need, MAX_NAME))
                error = follow(closure, library, need, tag == DT_NEEDED);
        }
        if (closure->visit && !error)
            closure->visit(closure->data, library->path, elf);
        cua_elf_close(elf);
    } else if (closure->visit) {
        closure->visit(closure->data, library->name, NULL);
    }
    return elf->failed ? -EAGAIN : error;
}

/* What is mapped; of it the program's RPATH counts for all that comes. */
static int read_mapped(struct closure *closure)
{
    bool own = cua_subject_is_own(closure->search.subject);
    int error = own ? cua_mapped_read(&closure->mapped) : 0;
    const char *rpath;

    closure->asking.list[0] = 0;
    if (error || !own)
        return error;
    rpath = closure->mapped.object->rpath;
    if (rpath[0])
        cua_requester_add(&closure->asking, &closure->search.ldso, cua_mapped_program(), rpath);
    return 0;
}

static int follow_all(struct closure *closure, const struct cua_requester *requester,
                      const char *name)
{
    int error = read_mapped(closure);

    if (error || cua_mapped_find(&closure->mapped, name))
        return error;
    error = cua_search_find(&closure->search, requester, name, closure->path);
    if (!error)
        error = add(closure, closure->asking.list, name, closure->path);
    if (!error)
        error = read_library(closure, closure->library[0]);
    /* ld.so itself complains of a damaged library further down. Each was opened before: any other
     * error may be gone when ld.so comes. */
    for (size_t i = 1; !error && i < closure->count; i++) {
        int below = read_library(closure, closure->library[i]);
        if (below == -E2BIG)
            break;
        closure->search.unsure |= below && below != -ENOEXEC;
    }
    return error;
}

/* What shows the program's CUDA, and what ties the program to native. */
static bool tells_something(const char *path)
{
    const char *base = cua_basename(path), *tail;
    const struct cua_library *row = cua_library_of(base, &tail);

    return cua_starts(base, "libcudart") || (row && row->kind == CUA_LIBRARY_BOUND);
}

int cua_loader_brings_libcuda(const struct cua_subject *subject,
                              const struct cua_requester *requester, const char *name,
                              char *libcuda, char *needed[CUA_NEEDED + 1], cua_closure_visit *visit,
                              void *data)
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
    closure->mapped = (struct cua_mapped){0};
    closure->libcuda = libcuda;
    cua_search_start(&closure->search, subject);
    result = follow_all(closure, requester, name);
    if (result == 0)
        result = closure->search.unsure ? -EAGAIN : closure->found;
    for (size_t i = 0; i < closure->count; i++) {
        struct library *library = closure->library[i];
        if (result == 1 && kept < CUA_NEEDED && tells_something(library->path)) {
            needed[kept++] = library->path;
            library->path = NULL;
        }
        free_library(library);
    }
    needed[kept] = NULL;
    cua_mapped_free(&closure->mapped);
    cua_search_end(&closure->search);
    free(closure);
    return result;
}
