/* SPDX-License-Identifier: Apache-2.0 */
/* $ORIGIN, $LIB and $PLATFORM in a path and in a list. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "loader/expand.h"
#include "machine/subject.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Room of exactly `size` bytes: what is written behind it is seen. */
static char *expand(struct cua_ldso *ldso, const char *text, const char *origin, bool list,
                    size_t size)
{
    char *out = calloc(1, size);
    bool fits = list ? cua_expand_list(ldso, text, origin, out, size)
                     : cua_expand(ldso, text, strlen(text), origin, out, size);

    if (fits && strnlen(out, size) == size)
        abort();
    if (fits)
        return out;
    free(out);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const origins[] = {"", "/", "/opt/app/lib"};
    static struct cua_ldso ldso;
    char *text;

    if (!ldso.lib) {
        cua_ldso_of(&ldso, &cua_here);
        cua_ldso_ask(&ldso);
    }
    if (!size || size > 512)
        return 0;
    text = calloc(1, size);
    memcpy(text, bytes + 1, size - 1);
    for (int i = 0; i < 6; i++) {
        const char *origin = origins[i / 2];
        bool list = i % 2;
        char *whole = expand(&ldso, text, origin, list, 32 << 10);
        char *some = expand(&ldso, text, origin, list, (size_t)bytes[0] + 1);
        /* A smaller room changes whether it fits and nothing else; no token, no change. */
        if (!whole || (some && strcmp(some, whole) != 0) ||
            (!list && text[0] && !strchr(text, '$') && strcmp(whole, text) != 0) ||
            (origin[0] && strstr(whole, "${ORIGIN}")))
            abort();
        free(some);
        free(whole);
    }
    free(text);
    return 0;
}
