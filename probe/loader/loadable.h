/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a libcuda would load in this process, and whether the objects that need it could be bound
 * to it. */
#ifndef CUA_LOADABLE_H
#define CUA_LOADABLE_H

#include <stddef.h>

#include "elf/file.h"
#include "loader/requester.h"
#include "machine/subject.h"

/* The code that needs libcuda. If neither `library` nor `linked` is set, it is code that looks up
 * libcuda's functions by dlsym. */
struct cua_binder {
    const struct cua_requester
        *requester;      /* the object on whose behalf ld.so searches; NULL: a plain program */
    const char *library; /* a library that is being loaded and needs libcuda; NULL: none */
    bool linked;         /* the program is linked with libcuda; any object mapped with it may need
                          * libcuda */
    bool now;            /* all functions are bound at once: RTLD_NOW, LD_BIND_NOW */
};

/* Whether the libcuda `file` would load. Returns false, with the reason in `why`, unless all of
 * this is certain: `file` does not lie on a mount without exec; every library that it needs is
 * found; and it has every function that the binder must find at once. A function counts only if
 * `instead_of`, the libcuda that `file` would replace, has it; if that is "", any function that has
 * the form of libcuda's names counts. For a subject other than this process only the functions are
 * checked, and only if `file` can be opened. Both paths must be as this process can open them. */
bool cua_loadable(const struct cua_subject *subject, const struct cua_binder *binder,
                  const char *file, const char *instead_of, char *why, size_t size);

/* Whether `name` has the form of libcuda's function names, and this libcuda lacks the function. */
bool cua_loadable_lacks(struct cua_elf *libcuda, const char *name);

#endif
