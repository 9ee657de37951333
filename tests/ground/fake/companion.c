/* SPDX-License-Identifier: Apache-2.0 */
/* Any library that comes with a driver; make-root writes version and SONAME into each copy. */
#include "fake.h"

const char *fake_companion_version(void);

CUA_FAKE_API const char *fake_companion_version(void)
{
    static char version[64];

    cua_fake_setting("version", version, sizeof version);
    return version;
}
