/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings: policy, log, log file, cache folder and trial come from the environment of this process
 * and from the /etc/cuarbiter.conf of its own root, whatever process or image it looks at.
 * A subject is never turned into settings, nor the reverse: subject.h has whose facts. */
#ifndef CUA_SETTINGS_H
#define CUA_SETTINGS_H

#include <unistd.h>

#include "base/text.h"

struct cua_settings {
    char *const *env;         /* NULL: the process's environ */
    const char *library_path; /* LD_LIBRARY_PATH as ld.so goes by it, for trials; NULL: not set */
    const char *home;         /* folder of shim, engine and command; NULL: not known */
};

/* Value of a variable in the settings' environment, or NULL. Belongs to the environment. */
static inline const char *cua_settings_env(const struct cua_settings *settings, const char *name)
{
    return cua_env_value(settings->env ? settings->env : environ, name);
}

#endif
