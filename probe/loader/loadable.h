/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a libcuda would load in the process that asks, and whether the objects that need a
 * libcuda could be bound to this one. */
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
        *requester;      /* the object on whose behalf ld.so searches; NULL: one without paths */
    const char *library; /* a library that is being loaded and needs libcuda; NULL: none */
    /* The program is linked with libcuda; any object mapped with it may need libcuda too. */
    bool linked;
    bool now; /* all functions are bound at once: RTLD_NOW, LD_BIND_NOW */
};

/* Whether the libcuda `file` would load. Returns false, with the reason in `why`, unless all of
 * this is certain:
 *
 * `file` and every library that it needs are found, are undamaged and can be mapped as code, so do
 * not lie on a mount with noexec. For a subject other than this process this is not checked.
 *
 * If `binder` has a library or is linked, `file` has every function that the binder must find at
 * once, and no symbol versions; and no other object that a linked program needs exports cuInit. A
 * function counts only if its name has the form of libcuda's names and `instead_of`, the libcuda
 * that `file` would replace, has it; if that is "" or cannot be read, the form is enough. For a
 * subject other than this process this is checked only if `file` can be opened.
 *
 * Both paths must be as this process can open them. */
bool cua_loadable(const struct cua_subject *subject, const struct cua_binder *binder,
                  const char *file, const char *instead_of, char *why, size_t size);

/* Whether `name` has the form of the names of libcuda's functions, and this libcuda lacks such a
 * function. */
bool cua_loadable_lacks(struct cua_elf *libcuda, const char *name);

#endif
