/* SPDX-License-Identifier: Apache-2.0 */
/* A search over the small tree of scripts/fuzz: lines of LD_LIBRARY_PATH, RPATH, RUNPATH, origin
 * and name, where '~' stands for the tree. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader/search.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* `line` in a buffer of its own, with the tree put in. */
static char *put_in(const char *line)
{
    size_t tildes = 0, at = 0;

    for (const char *c = line; *c; c++)
        tildes += *c == '~';
    char *out = malloc(strlen(line) + tildes * strlen(CUA_FUZZ_TREE) + 1);
    for (; *line; line++) {
        const char one[] = {*line, 0}, *with = *line == '~' ? CUA_FUZZ_TREE : one;
        memcpy(out + at, with, strlen(with));
        at += strlen(with);
    }
    out[at] = 0;
    return out;
}

/* To ld.so libc.so.06 is the cache's libc.so.6: its numbers are compared by value. */
static int same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        if (*a >= '0' && *a <= '9' && *b >= '0' && *b <= '9') {
            a += strspn(a, "0");
            b += strspn(b, "0");
            size_t length = strspn(a, "0123456789");
            if (length != strspn(b, "0123456789") || strncmp(a, b, length) != 0)
                return 0;
            a += length;
            b += length;
            if (!*a || !*b)
                break;
        }
        if (*a != *b)
            return 0;
    }
    return *a == *b;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct cua_search search;
    static struct cua_requester requester;
    char *text = strndup((const char *)bytes, size), *rest = text, *line[5];
    char out[PATH_MAX], again[PATH_MAX];
    int before = open("/dev/null", O_RDONLY | O_CLOEXEC), after;

    close(before);
    for (int i = 0; i < 5; i++) {
        const char *next = strsep(&rest, "\n");
        line[i] = put_in(next ? next : "");
    }
    const struct cua_subject subject = {.sysroot = "", .library_path = line[0]};
    const char *slash;

    requester.runpath = line[2][0];
    snprintf(requester.list, sizeof requester.list, "%s", line[requester.runpath ? 2 : 1]);
    snprintf(requester.origin, sizeof requester.origin, "%s", line[3]);
    cua_search_start(&search, &subject, size % 2);
    int rc = cua_search_find(&search, &requester, line[4], out);
    /* Once more on the same search; it must not depend on the one before. */
    if (rc != cua_search_find(&search, &requester, line[4], again) ||
        (rc == 0 && strcmp(out, again) != 0))
        abort();
    slash = strrchr(out, '/');
    if (rc == 0 && (access(out, F_OK) != 0 || (line[4][0] && !strchr(line[4], '/') &&
                                               (!slash || !same_name(slash + 1, line[4])))))
        abort();
    cua_search_end(&search);
    after = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(after);
    if (after != before)
        abort();
    for (int i = 0; i < 5; i++)
        free(line[i]);
    free(text);
    return 0;
}
