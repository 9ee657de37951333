/* SPDX-License-Identifier: Apache-2.0 */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

const volatile char cua_fake_block[16 + CUA_FAKE_TEXT] = "@FAKE-SETTINGS@\nversion=0\n";

bool cua_fake_setting(const char *key, char *value, int size)
{
    const char *line = (const char *)cua_fake_block;
    size_t length = strlen(key);

    for (; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, key, length) && line[length] == '=') {
            int n = (int)strcspn(line + length + 1, "\n");
            if (n >= size)
                n = size - 1;
            memcpy(value, line + length + 1, (size_t)n);
            value[n] = 0;
            return true;
        }
    }
    return false;
}

int cua_fake_number(const char *key, int otherwise)
{
    char text[32];
    return cua_fake_setting(key, text, sizeof text) ? atoi(text) : otherwise;
}

bool cua_fake_listed(const char *key, int number)
{
    char list[512], *at;

    if (!cua_fake_setting(key, list, sizeof list))
        return false;
    for (at = list; *at; at += strspn(at, ",")) {
        if (atoi(at) == number)
            return true;
        at += strcspn(at, ",");
    }
    return false;
}

int cua_fake_branch(const char *version)
{
    return atoi(version);
}

int cua_fake_compare(const char *a, const char *b)
{
    while (*a || *b) {
        int x = atoi(a), y = atoi(b);
        if (x != y)
            return x < y ? -1 : 1;
        a += strcspn(a, ".");
        b += strcspn(b, ".");
        a += *a == '.';
        b += *b == '.';
    }
    return 0;
}
