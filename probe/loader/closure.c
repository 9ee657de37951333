/* SPDX-License-Identifier: Apache-2.0 */
/* What a library would bring in: its needs and theirs, in the order in which ld.so loads them. */
#include "loader/closure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/file.h"
#include "loader/expand.h"
#include "loader/loader.h"
#include "loader/mapped.h"
#include "loader/search.h"
#include "base/text.h"
#include "cuarbiter/libraries.h"
#include "machine/log.h"

#define MAX_LIBRARIES 512
#define MAX_NAME      512
#define WANTED        "libcuda.so.1"

struct library {
    const struct library *loader; /* NULL for the one that is asked about */
    char *name;                   /* as it was asked for */
    char *path;                   /* as this process can open it */
    char *soname;
    char *rpath;   /* expanded; NULL where there is none or a runpath replaces it */
    char *runpath; /* expanded; NULL where there is none */
    char *origin;
};

struct closure {
    struct cua_search search;
    const struct cua_requester *requester; /* of the first library */
    struct cua_mapped mapped;
    char *program_rpath; /* expanded; NULL where there is none */
    struct library *library[MAX_LIBRARIES];
    size_t count;
    char *libcuda;
    bool found, all, ended; /* libcuda is among them; go on then; do not */
    /* Too large for the stack of somebody's thread. */
    char text[2 * PATH_MAX], expanded[2 * PATH_MAX], path[PATH_MAX], need[MAX_NAME];
    const char *rpath[MAX_LIBRARIES + 2];
    struct cua_elf elf;
};

static void free_library(struct library *library)
{
    if (!library)
        return;
    free(library->name);
    free(library->path);
    free(library->soname);
    free(library->rpath);
    free(library->runpath);
    free(library->origin);
    free(library);
}

static char *expanded(struct closure *closure, const char *list, const char *origin)
{
    char *out = closure->expanded;

    if (!cua_expand_list(&closure->search.ldso, list, origin, out, sizeof closure->expanded) ||
        !out[0])
        return NULL;
    out = strdup(out);
    closure->search.unsure |= !out;
    return out;
}

static bool read_text(struct cua_elf *elf, int64_t tag, char *buf, size_t size)
{
    uint64_t at;

    buf[0] = 0;
    return cua_elf_value(elf, tag, &at) && cua_elf_string(elf, at, buf, size) && buf[0];
}

/* ld.so ignores an RPATH beside a RUNPATH. */
static void read_paths(struct closure *closure, struct library *library, struct cua_elf *elf)
{
    const char *slash = strrchr(library->path, '/');
    const size_t size = sizeof closure->text;
    char *text = closure->text;
    uint64_t at;

    library->origin = slash ? strndup(library->path, (size_t)(slash - library->path)) : strdup(".");
    closure->search.unsure |= !library->origin;
    if (read_text(elf, DT_SONAME, text, size))
        library->soname = strdup(text);
    if (cua_elf_value(elf, DT_RUNPATH, &at)) {
        /* One that expands to nothing still keeps the RPATHs out. */
        if (read_text(elf, DT_RUNPATH, text, size))
            library->runpath = expanded(closure, text, library->origin);
        if (!library->runpath)
            library->runpath = strdup("");
    } else if (read_text(elf, DT_RPATH, text, size)) {
        library->rpath = expanded(closure, text, library->origin);
    }
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

/* On behalf of a library of the closure: its own RPATH, then those of its loaders, then the
 * program's. */
static int find_for(struct closure *closure, const struct library *library, const char *name,
                    char *out)
{
    const char **rpath = closure->rpath;
    struct cua_search_for wanted = {rpath, library->runpath, library->origin};
    size_t count = 0;

    for (const struct library *l = library; l; l = l->loader) {
        if (l->rpath)
            rpath[count++] = l->rpath;
    }
    if (closure->program_rpath)
        rpath[count++] = closure->program_rpath;
    rpath[count] = NULL;
    return cua_search_find(&closure->search, &wanted, name, out);
}

static int find_first(struct closure *closure, const char *name, char *out)
{
    const struct cua_requester *requester = closure->requester;
    const char *rpath[] = {requester ? requester->rpath : NULL, NULL};
    struct cua_search_for wanted = {rpath,
                                    requester && requester->runpath[0] ? requester->runpath : NULL,
                                    requester ? requester->origin : ""};

    return cua_search_find(&closure->search, &wanted, name, out);
}

static int add(struct closure *closure, const struct library *loader, const char *name,
               const char *path)
{
    struct library *library;

    if (closure->count == MAX_LIBRARIES) {
        cua_log(CUA_LOG_WARN, "many-needs", "%s needs more than %d libraries: the rest is not seen",
                closure->library[0]->path, MAX_LIBRARIES);
        closure->ended = true;
        return -E2BIG;
    }
    library = calloc(1, sizeof *library);
    if (!library)
        return -ENOMEM;
    library->loader = loader;
    library->name = strdup(name);
    library->path = strdup(path);
    if (!library->name || !library->path) {
        free_library(library);
        return -ENOMEM;
    }
    closure->library[closure->count++] = library;
    return 0;
}

static int follow(struct closure *closure, const struct library *library, const char *need)
{
    char *path = closure->path;

    if (is_known(closure, need))
        return 0;
    if (strcmp(need, WANTED) == 0 && closure->found)
        return 0;
    if (strcmp(need, WANTED) == 0) {
        if (find_for(closure, library, need, closure->libcuda) != 0)
            closure->libcuda[0] = 0;
        closure->found = true;
        closure->ended = !closure->all;
        return 0;
    }
    if (find_for(closure, library, need, path) != 0)
        return 0;
    return add(closure, library, need, path);
}

/* `fd`: the library's file, which is closed; -1: it is opened here. */
static int read_library(struct closure *closure, struct library *library, int fd)
{
    struct cua_elf *elf = &closure->elf;
    char *need = closure->need;
    const char *trouble;
    int error = -ENOEXEC;

    if (fd < 0)
        fd = open(library->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -errno;
    if (cua_elf_open(elf, fd, closure->search.ldso.machine, &trouble) == CUA_ELF_FINE) {
        read_paths(closure, library, elf);
        error = 0;
        for (unsigned i = 0; i < elf->entries && !closure->ended && !error; i++) {
            int64_t tag = elf->entry[i].d_tag;
            if ((tag == DT_NEEDED || tag == DT_AUXILIARY || tag == DT_FILTER) &&
                cua_elf_string(elf, elf->entry[i].d_un.d_val, need, MAX_NAME))
                error = follow(closure, library, need);
        }
        cua_elf_close(elf);
    }
    close(fd);
    return error;
}

static void read_program(struct closure *closure)
{
    char *origin = closure->path;
    const char *program, *slash;

    if (cua_mapped_read(&closure->mapped) != 0 || closure->mapped.count == 0)
        return;
    if (!closure->mapped.object[0].rpath[0])
        return;
    program = cua_mapped_program();
    slash = strrchr(program, '/');
    if (!slash || !cua_copy_n(origin, PATH_MAX, program, (size_t)(slash - program)))
        return;
    closure->program_rpath = expanded(closure, closure->mapped.object[0].rpath, origin);
}

/* By which the program's CUDA is told; what keeps it to native. */
static bool tells_something(const char *path)
{
    const char *base = cua_basename(path), *tail;
    const struct cua_library *row = cua_library_of(base, &tail);

    return cua_starts(base, "libcudart") || (row && row->kind == CUA_LIBRARY_BOUND);
}

int cua_loader_brings_libcuda(const struct cua_subject *subject,
                              const struct cua_requester *requester, const char *name, bool mapped,
                              char *libcuda, char *needed[CUA_NEEDED + 1])
{
    size_t kept = 0;
    struct closure *closure = malloc(sizeof *closure);
    int result, fd;

    libcuda[0] = 0;
    if (needed)
        needed[0] = NULL;
    if (!closure)
        return -ENOMEM;
    memset(&closure->mapped, 0, sizeof closure->mapped);
    closure->program_rpath = NULL;
    closure->count = 0;
    closure->found = closure->ended = false;
    closure->all = needed != NULL;
    closure->requester = requester;
    closure->libcuda = libcuda;
    cua_search_start(&closure->search, subject);
    if (mapped)
        read_program(closure);
    result = cua_mapped_find(&closure->mapped, name) ? 0 : find_first(closure, name, closure->path);
    if (result == 0 && !cua_mapped_find(&closure->mapped, name)) {
        fd = closure->search.fd;
        closure->search.fd = -1;
        result = add(closure, NULL, name, closure->path);
        if (result == 0)
            result = read_library(closure, closure->library[0], fd);
        else
            close(fd);
    }
    /* What cannot be read further down is ld.so's to complain about. */
    for (size_t i = 1; result == 0 && i < closure->count && !closure->ended; i++)
        read_library(closure, closure->library[i], -1);
    if (result == 0)
        result = closure->search.unsure ? -EAGAIN : closure->found;
    for (size_t i = 0; i < closure->count; i++) {
        struct library *library = closure->library[i];
        if (needed && result == 1 && kept < CUA_NEEDED && tells_something(library->path)) {
            needed[kept++] = library->path;
            library->path = NULL;
        }
        free_library(library);
    }
    if (needed)
        needed[kept] = NULL;
    free(closure->program_rpath);
    cua_mapped_free(&closure->mapped);
    cua_search_end(&closure->search);
    free(closure);
    return result;
}
