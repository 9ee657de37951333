/* SPDX-License-Identifier: Apache-2.0 */
/* The site file, and what is looked up in it. */
#include <stdint.h>
#include <string.h>

#include "machine/site.h"
#include "machine/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static char *env[] = {"CUARBITER_POLICY=host", NULL};
    static const struct cua_settings settings = {.env = env};
    char text[8192];
    struct cua_site site = {.text = text};
    size_t length = size < sizeof(text) ? size : sizeof(text) - 1;

    memcpy(text, bytes, length);
    text[length] = '\0';
    cua_site_parse(&site);
    cua_site_value(&site, &settings, "CUARBITER_POLICY", NULL);
    cua_site_value(&site, &settings, "CUARBITER_TRIAL", NULL);
    return 0;
}
