/* SPDX-License-Identifier: Apache-2.0 */
/* What the list of loaded objects shows about the process, before anything else is known. */
#ifndef CUA_SURVEY_H
#define CUA_SURVEY_H

#include <link.h>
#include <stdbool.h>

struct cua_survey {
    const struct link_map *self, *libc;
    bool opened;         /* the shim came by dlopen: libc comes before it */
    const char *libcuda; /* l_name of the first one mapped; NULL */
};

/* One pass over the list, which also sets what state.h keeps of it. False where the shim must not
 * act: on musl, in a namespace other than the base, beside another shim that acts, and under
 * MemorySanitizer. */
bool cua_survey(struct cua_survey *survey);

/* Does any object need libcuda, so that it is not only preloaded itself? For the start-up check. */
bool cua_survey_needs_libcuda(void);

#endif
