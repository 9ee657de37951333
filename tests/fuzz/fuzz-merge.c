/* SPDX-License-Identifier: Apache-2.0 */
/* A CDI specification, into which our hook goes: put in twice it is in once, and taken out there is
 * nothing left of it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/cdi/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static char *edit(const char *text, const char *hook)
{
    char trouble[CUA_SPEC_TROUBLE];

    return cua_spec(text, hook, trouble);
}

static size_t times(const char *text, const char *what)
{
    size_t count = 0;

    for (; (text = strstr(text, what)); text++)
        count++;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char hook[] =
        "{\"hookName\": \"createContainer\", \"path\": \"/bin/sh\", \"args\": "
        "[\"sh\", \"-c\", \"ours\", \"cuarbiter\", \"/c\", \"hook\"]}";
    char *text, *with, *again, *without;

    if (memchr(bytes, 0, size))
        return 0;
    text = strndup((const char *)bytes, size);
    with = edit(text, hook);
    /* Our key without our hook below it moves, or is refused beside a second one. */
    if (with && !strstr(text, "# cuarbiter")) {
        again = edit(with, hook);
        without = edit(with, NULL);
        if (!again || strcmp(again, with) != 0 || !without || times(with, hook) < 1 ||
            times(without, hook) >= times(with, hook))
            abort();
        free(again);
        free(without);
    }
    free(with);
    free(edit(text, NULL));
    free(text);
    return 0;
}
