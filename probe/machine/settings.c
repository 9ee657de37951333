/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/settings.h"

#include <unistd.h>

#include "base/text.h"

const char *cua_settings_env(const struct cua_settings *settings, const char *name)
{
    return cua_env_value(settings->env ? settings->env : environ, name);
}
