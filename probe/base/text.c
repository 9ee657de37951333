/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <string.h>

bool cua_copy_n(char *out, size_t size, const char *s, size_t length)
{
    if (length >= size) {
        out[0] = 0;
        return false;
    }
    memmove(out, s, length);
    out[length] = 0;
    return true;
}

bool cua_copy(char *out, size_t size, const char *s)
{
    return cua_copy_n(out, size, s, strlen(s));
}

bool cua_join(char *out, size_t size, const char *folder, const char *name)
{
    size_t above = strlen(folder), below = strlen(name);
    bool slash;

    while (above && folder[above - 1] == '/')
        above--;
    slash = name[0] != '/';
    if (above + slash + below >= size) {
        out[0] = 0;
        return false;
    }
    memmove(out, folder, above);
    if (slash)
        out[above++] = '/';
    memcpy(out + above, name, below + 1);
    return true;
}

bool cua_append(char *out, size_t size, const char *s)
{
    size_t used = strlen(out), more = strlen(s);

    if (used + more >= size)
        return false;
    memcpy(out + used, s, more + 1);
    return true;
}

bool cua_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool cua_ends(const char *s, const char *suffix)
{
    size_t length = strlen(s), end = strlen(suffix);

    return length >= end && strcmp(s + length - end, suffix) == 0;
}

uint64_t cua_hash(const char *s)
{
    uint64_t h = 14695981039346656037ULL;

    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211ULL;
    return h;
}

const char *cua_basename(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool cua_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return strncmp(path, folder, length) == 0 && (path[length] == 0 || path[length] == '/');
}

int cua_find(const char *const *words, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return (int)i;
    return -1;
}

const char *cua_env_value(char *const *env, const char *name)
{
    size_t length = strlen(name);

    for (; env && *env; env++)
        if (strncmp(*env, name, length) == 0 && (*env)[length] == '=')
            return *env + length + 1;
    return NULL;
}
