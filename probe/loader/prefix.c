/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/prefix.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/whole.h"
#include "loader/mapped.h"
#include "machine/asker.h"

#define MOST_BYTES (8u << 20) /* size limit for ld.so's file, which is smaller in practice */
#define FOLDERS    (sizeof((struct cua_prefix){0}).folders / sizeof(char *) - 1)

static const struct cua_prefix usual;

/* Records a path that ends with a slash as a default folder, once only. Of the paths among ld.so's
 * strings, only its default folders (SYSTEM_DIRS) end with a slash. */
static void take_folder(struct cua_prefix *prefix, char *text, size_t length)
{
    size_t n = 0;

    text[length - 1] = 0;
    while (n < FOLDERS && prefix->folders[n] && strcmp(prefix->folders[n], text) != 0)
        n++;
    if (n < FOLDERS)
        prefix->folders[n] = text;
}

/* Searches the content of ld.so's file, `text`, for the strings that are default folders or the
 * cache's path. The content stays allocated, because the prefix points into it. */
static void read_texts(struct cua_prefix *prefix, char *text, const char *end)
{
    for (size_t length; text < end; text += length + 1) {
        length = strlen(text);
        bool plain = text[0] == '/' && length >= strlen("/lib/");
        for (const char *c = text; *c && plain; c++)
            plain = *c > ' ' && *c <= '~';
        if (plain && text[length - 1] == '/')
            take_folder(prefix, text, length);
        else if (plain && cua_ends(text, "/ld.so.cache"))
            prefix->cache = text;
    }
}

static const struct cua_prefix *read_prefix(const char *ldso)
{
    struct cua_prefix *prefix = calloc(1, sizeof *prefix);
    size_t size;
    char *text = prefix ? cua_whole_file(ldso, MOST_BYTES, &size) : NULL;

    if (!text) {
        free(prefix);
        return &usual;
    }
    prefix->cache = "";
    read_texts(prefix, text, text + size);
    return prefix;
}

static const struct cua_prefix *find_prefix(void)
{
    static const char *const places[] = {"/lib", "/lib64", "/usr/lib", "/usr/lib64"};
    const struct cua_prefix *found = &usual;
    const struct cua_mapped *mapped = cua_mapped();
    bool is_usual = false;
    size_t i = 0;

    while (i < mapped->count && !cua_starts(mapped->object[i].soname, "ld-linux"))
        i++;
    const char *name = i < mapped->count ? mapped->object[i].name : "";
    for (size_t place = 0; place < sizeof places / sizeof *places; place++)
        is_usual |= cua_below(name, places[place]);
    /* The name is relative if ld.so was executed by a command line such as "./ld.so program". Then
     * ld.so is the process's executable. */
    if (!is_usual && name[0] && name[0] != '/')
        name = cua_asker.exe;
    if (!is_usual && name[0])
        found = read_prefix(name);
    return found;
}

const struct cua_prefix *cua_prefix_own(void)
{
    static const struct cua_prefix *_Atomic known;
    const struct cua_prefix *prefix = atomic_load(&known);

    /* If two threads read ld.so at once, only one of the two results is kept; the other is never
     * freed. */
    if (!prefix)
        atomic_store(&known, prefix = find_prefix());
    return prefix == &usual ? NULL : prefix;
}
