/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a libcuda would load in this process, and whether what needs it could be bound to it. */
#ifndef CUA_LOADABLE_H
#define CUA_LOADABLE_H

#include <stddef.h>

#include "elf/file.h"
#include "loader/requester.h"
#include "machine/subject.h"

/* Who needs libcuda. With neither `library` nor `linked`, whoever looks its functions up. */
struct cua_binder {
    const struct cua_requester
        *requester;      /* on whose behalf ld.so searches; NULL: a plain program */
    const char *library; /* that is being loaded and brings libcuda in, or NULL */
    bool linked;         /* the program and all that is mapped with it */
    bool now;            /* all is bound at once: RTLD_NOW, LD_BIND_NOW */
};

/* False, and why, where `file` would not load: a mount without exec, a library that it needs is not
 * found, or a function that the binder must find at once is in `instead_of` ("": whatever is named
 * like libcuda's) and not in `file`. Also false in doubt. Of another subject only the functions are
 * looked at, if the file is there. The files are as this process can open them. */
bool cua_loadable(const struct cua_subject *subject, const struct cua_binder *binder,
                  const char *file, const char *instead_of, char *why, size_t size);

/* Whether a function of this name is libcuda's, and this one has none. */
bool cua_loadable_lacks(struct cua_elf *libcuda, const char *name);

#endif
