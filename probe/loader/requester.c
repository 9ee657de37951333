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

/* Finds the object that loaded `object`: of those before it in the list, the first that needs it.
 * If none needs it, `object` was preloaded or opened by dlopen, and the result is the program. */
static const struct cua_mapped_object *find_loader(const struct cua_mapped_object *object)
{
    const struct cua_mapped_object *first = cua_mapped()->object;

    for (const struct cua_mapped_object *o = first; o < object; o++)
        if (cua_mapped_needs(o, object))
            return o;
    return first;
}

void cua_requester_mapped(struct cua_requester *requester, size_t index, const char *name)
{
    const struct cua_mapped *mapped = cua_mapped();
    const struct cua_mapped_object *object = mapped->object + (index < mapped->count ? index : 0);

    requester->list[0] = requester->origin[0] = 0;
    requester->runpath = object->runpath;
    if (requester->runpath) {
        add(requester, object, object->runpath);
    } else {
        for (const struct cua_mapped_object *o = object; o != mapped->object; o = find_loader(o))
            add(requester, o, o->rpath);
        add(requester, mapped->object, mapped->object->rpath);
    }
    if (strchr(name, '$'))
        cua_expand_origin(name_of(object), requester->origin);
}
