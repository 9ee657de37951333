/* SPDX-License-Identifier: Apache-2.0 */
/* A CDI specification, into which our mounts go: put in twice they are in once, and taken out there
 * is nothing left of them. */
#include <stdint.h>

#include "command/cdi/merge.c"
#include "command/cdi/mounts.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* NULL where it is refused. */
static char *edit_spec(const char *text, const char *folder)
{
    struct edit edit = {.folder = folder};
    char *made = NULL, *plain = without_ours(text);
    size_t size = 0;

    if (!plain)
        return NULL;
    edit.out = open_memstream(&made, &size);
    if (text[strspn(text, " \t\r\n")] == '{')
        edit_json(&edit, text, strlen(text));
    else
        edit_yaml(&edit, plain);
    fclose(edit.out);
    free(plain);
    if (!edit.trouble)
        return made;
    free(made);
    return NULL;
}

/* What follows a JSON value, NULL where there is none; the edit's own parser takes more. */
static const char *skip_json(const char *at, int depth)
{
    const char *blank = " \t\r\n", *end;
    bool object;

    at += strspn(at, blank);
    if (*at == '"') {
        while (*++at && *at != '"')
            at += *at == '\\' && at[1];
        return *at ? at + 1 + strspn(at + 1, blank) : NULL;
    }
    if (*at != '{' && *at != '[') {
        end = at + strcspn(at, " \t\r\n,:{}[]\"");
        return end > at ? end + strspn(end, blank) : NULL;
    }
    object = *at++ == '{';
    at += strspn(at, blank);
    if (*at == (object ? '}' : ']'))
        return at + 1 + strspn(at + 1, blank);
    for (; depth < 64; at++) {
        at += strspn(at, blank);
        if (object && *at != '"')
            return NULL;
        at = skip_json(at, depth + 1);
        if (object && at)
            at = *at == ':' ? skip_json(at + 1, depth + 1) : NULL;
        if (!at || *at != ',')
            break;
    }
    return at && *at == (object ? '}' : ']') ? at + 1 + strspn(at + 1, blank) : NULL;
}

static bool is_spec(const char *text)
{
    const char *end = text + strspn(text, " \t\r\n");

    return *end != '{' || ((end = skip_json(end, 0)) && !*end);
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
    static const char folder[] = "/opt/our \"own\"";
    char *text, *with, *again, *without, *none;

    if (memchr(bytes, 0, size))
        return 0;
    text = strndup((const char *)bytes, size);
    with = edit_spec(text, folder);
    none = edit_spec(text, NULL);
    if (with && is_spec(text)) {
        again = edit_spec(with, folder);
        without = edit_spec(with, NULL);
        if (!again || strcmp(again, with) != 0 || !without ||
            times(with, "/opt/our \\\"own\\\"") < CUA_CDI_MOUNTS ||
            (!strstr(text, "our") && strstr(without, "/our")))
            abort();
        free(again);
        free(without);
    }
    free(with);
    free(none);
    free(text);
    return 0;
}
