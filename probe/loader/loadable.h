/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a libcuda would load in the process that asks (machine/asker.h), and whether the objects
 * that need a libcuda could be bound to this one. The subject is the process that is examined
 * (machine/subject.h). As a subject, "this process" means the process that asks. */
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
        *requester;      /* the object on whose behalf ld.so searches; NULL: one without RPATH */
    const char *library; /* a library that is being loaded and needs libcuda; NULL: none */
    /* The program is linked with libcuda. Any object that is mapped with the program may need
     * libcuda too. */
    bool linked;
    bool now; /* all functions are bound at once: RTLD_NOW, LD_BIND_NOW */
};

/* Whether the libcuda `file` would load. Returns false, with the reason in `why`, if one of two
 * checks fails or cannot be completed. A check that is skipped counts as passed. `file` and
 * `instead_of` are paths as this process would open them.
 *
 * Check 1 is made only if the subject is this process. `file` and every library that it needs must
 * be found, be undamaged, and be mappable as code (not on a mount with noexec).
 *
 * Check 2 is made only if binder->library or binder->linked is set. For another subject, it is
 * skipped if `file` cannot be opened. It requires:
 * - `file` has no symbol versions.
 * - `file` has every function of libcuda that the binder must find at once.
 * - If binder->linked is set, no other object that the program needs exports cuInit.
 *
 * An imported function counts as libcuda's if its name has the form of libcuda's names and
 * `instead_of`, the libcuda that `file` would replace, has it. If `instead_of` is "" or cannot be
 * read, the form suffices. */
bool cua_loadable(const struct cua_subject *subject, const struct cua_binder *binder,
                  const char *file, const char *instead_of, char *why, size_t size);

/* Whether `name` has the form of the names of libcuda's functions, but this libcuda has no function
 * with that name, or its symbols cannot be read. */
bool cua_loadable_lacks(struct cua_elf *libcuda, const char *name);

#endif
