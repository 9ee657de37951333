/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/loader.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader/expand.h"
#include "loader/mapped.h"
#include "loader/search.h"
#include "base/text.h"
#include "loader/ldso.h"

/* How far a chain of loaders is followed upwards. */
#define MAX_LOADERS 32

static int find_for(struct cua_search *search, const struct cua_requester *requester,
                    const char *name, char *out)
{
    const char *rpath[2] = {NULL, NULL};
    struct cua_search_for wanted = {rpath, NULL, ""};

    if (requester) {
        if (requester->rpath[0])
            rpath[0] = requester->rpath;
        if (requester->runpath[0])
            wanted.runpath = requester->runpath;
        wanted.origin = requester->origin;
    }
    return cua_search_find(search, &wanted, name, out);
}

int cua_loader_find(const struct cua_subject *subject, const struct cua_requester *requester,
                    const char *name, char *out)
{
    struct cua_search *search = malloc(sizeof *search);
    int error;

    out[0] = 0;
    if (!search)
        return -ENOMEM;
    cua_search_start(search, subject);
    error = find_for(search, requester, name, out);
    error = search->unsure ? -EAGAIN : error;
    cua_search_end(search);
    free(search);
    return error;
}

bool cua_loader_has(const char *name)
{
    struct cua_mapped mapped;
    bool has;

    if (cua_mapped_read(&mapped) != 0)
        return false;
    has = cua_mapped_find(&mapped, name);
    cua_mapped_free(&mapped);
    return has;
}

/* The folder of an object as ld.so computes it: never relative. */
static void find_origin(const char *name, char *out)
{
    const char *slash = strrchr(name, '/');
    size_t used;

    out[0] = 0;
    if (!slash || (name[0] != '/' && !getcwd(out, PATH_MAX)))
        return;
    used = strlen(out);
    if (snprintf(out + used, PATH_MAX - used, "%s%.*s", name[0] == '/' ? "" : "/",
                 slash == name ? 1 : (int)(slash - name), name) >= (int)(PATH_MAX - used))
        out[0] = 0;
}

static const char *name_of(const struct cua_mapped_object *object)
{
    return object->name[0] ? object->name : cua_mapped_program();
}

/* Appends what `list` of the object expands to; what does not fit is left out as a whole. */
static void append_expanded(struct cua_requester *requester, const struct cua_mapped_object *object,
                            const char *list)
{
    struct cua_ldso ldso;
    char *out = requester->list;
    size_t used = strlen(out), colon = used != 0, size = sizeof requester->list;

    if (!list[0] || used + colon >= size)
        return;
    cua_ldso_of(&ldso, &cua_here);
    find_origin(name_of(object), requester->scratch);
    if (cua_expand_list(&ldso, list, requester->scratch, out + used + colon, size - used - colon) &&
        out[used + colon]) {
        if (colon)
            out[used] = ':';
    } else {
        out[used] = 0;
    }
}

static bool has_need(const struct cua_mapped_object *object, const struct cua_mapped_object *needed)
{
    for (const char *need = object->needs; *need; need += strlen(need) + 1) {
        if (strcmp(need, needed->soname) == 0 || strcmp(need, needed->name) == 0 ||
            strcmp(need, needed->base) == 0)
            return true;
    }
    return false;
}

/* Who brought the object in: the first that needs it, which stands before it. NULL for the program,
 * for what was preloaded and for what was dlopened. */
static const struct cua_mapped_object *find_loader(const struct cua_mapped *mapped,
                                                   const struct cua_mapped_object *object)
{
    for (const struct cua_mapped_object *o = mapped->object; o < object; o++) {
        if (has_need(o, object))
            return o;
    }
    return NULL;
}

void cua_requester_mapped(struct cua_requester *requester, const void *address, const char *name)
{
    const struct cua_mapped_object *object, *program, *loader;
    struct cua_mapped mapped;
    int depth = 0;

    requester->origin = requester->rpath = requester->runpath = "";
    if (cua_mapped_read_for(&mapped, address) != 0)
        return;
    if (mapped.count == 0)
        goto out;
    object = cua_mapped_at(&mapped, address);
    program = mapped.object;
    if (strchr(name, '$')) {
        find_origin(name_of(object), requester->own);
        requester->origin = requester->own;
    }
    requester->list[0] = 0;
    if (object->runpath[0]) {
        append_expanded(requester, object, object->runpath);
        requester->runpath = requester->list;
        goto out;
    }
    for (loader = object; loader && depth < MAX_LOADERS; depth++) {
        append_expanded(requester, loader, loader->rpath);
        if (loader == program)
            break;
        loader = find_loader(&mapped, loader);
    }
    if (loader != program)
        append_expanded(requester, program, program->rpath);
    requester->rpath = requester->list;
out:
    cua_mapped_free(&mapped);
}
