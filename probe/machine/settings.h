/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: policy, log, log file, cache folder and trials (cuInit in a child process). They come
 * from this process's environment and from the site file (site.h). The answerer takes the
 * environment of the program that asks (asker.h) instead of its own.
 *
 * Facts come from a subject (subject.h), the process or image that is examined. No setting is taken
 * from a subject, and no fact from the settings. */
#ifndef CUA_SETTINGS_H
#define CUA_SETTINGS_H

#include <unistd.h>

#include "base/text.h"

struct cua_settings {
    char *const *env;         /* NULL: this process's environ */
    const char *library_path; /* LD_LIBRARY_PATH as ld.so uses it, for trials; NULL: not set */
    const char *home;         /* folder of cuarbiter's own files; NULL: not known */
};

/* The value of a variable in the settings' environment; NULL if it is not set. Belongs to the
 * environment. */
static inline const char *cua_settings_env(const struct cua_settings *settings, const char *name)
{
    return cua_env_value(settings->env ? settings->env : environ, name);
}

#endif
