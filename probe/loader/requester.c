/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/requester.h"

#include <string.h>

#include "loader/expand.h"
#include "loader/mapped.h"

static const char *name_of(const struct cua_mapped_object *object)
{
    return object->name[0] ? object->name : cua_mapped_program();
}

void cua_requester_add(struct cua_requester *requester, struct cua_ldso *ldso, const char *file,
                       const char *list)
{
    cua_expand_origin(file, requester->origin);
    if (list[0])
        cua_expand_list(ldso, list, requester->origin, requester->list, sizeof requester->list);
}

static void add(struct cua_requester *requester, const struct cua_mapped_object *object,
                const char *list)
{
    struct cua_ldso ldso;

    if (!list[0])
        return;
    cua_ldso_of(&ldso, &cua_here);
    cua_requester_add(requester, &ldso, name_of(object), list);
}

/* Who brought the object in: the first object before it that needs it, else the program, since it
 * was preloaded or dlopened. */
static const struct cua_mapped_object *find_loader(const struct cua_mapped *mapped,
                                                   const struct cua_mapped_object *object)
{
    for (const struct cua_mapped_object *o = mapped->object; o < object; o++)
        if (cua_mapped_needs(o, object))
            return o;
    return mapped->object;
}

void cua_requester_mapped(struct cua_requester *requester, const void *address, const char *name)
{
    const struct cua_mapped_object *object;
    struct cua_mapped mapped;

    requester->runpath = false;
    requester->list[0] = requester->origin[0] = 0;
    if (cua_mapped_read(&mapped) != 0)
        return;
    object = cua_mapped_at(&mapped, address);
    requester->runpath = object->runpath;
    if (requester->runpath) {
        add(requester, object, object->runpath);
    } else {
        for (const struct cua_mapped_object *o = object; o != mapped.object;
             o = find_loader(&mapped, o))
            add(requester, o, o->rpath);
        add(requester, mapped.object, mapped.object->rpath);
    }
    if (strchr(name, '$'))
        cua_expand_origin(name_of(object), requester->origin);
    cua_mapped_free(&mapped);
}
