/* SPDX-License-Identifier: Apache-2.0 */
/* A search over the small tree of scripts/fuzz: lines of LD_LIBRARY_PATH, RPATH, RUNPATH, origin
 * and name, where '~' stands for the tree. */
#include <fcntl.h>
#include <stdint.h>
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct cua_search search;
    char *text = strndup((const char *)bytes, size), *rest = text, *line[5];
    char out[PATH_MAX], again[PATH_MAX];
    int before = open("/dev/null", O_RDONLY | O_CLOEXEC), after;

    close(before);
    for (int i = 0; i < 5; i++) {
        const char *next = strsep(&rest, "\n");
        line[i] = put_in(next ? next : "");
    }
    const struct cua_subject subject = {.sysroot = "", .library_path = line[0]};
    const char *rpath[] = {line[1], NULL}, *slash;
    const struct cua_search_for wanted = {rpath, line[2][0] ? line[2] : NULL, line[3]};

    cua_search_start(&search, &subject);
    int rc = cua_search_find(&search, &wanted, line[4], out);
    /* Once more on the same search; it must not depend on the one before. */
    if (rc != cua_search_find(&search, &wanted, line[4], again) ||
        (rc == 0 && strcmp(out, again) != 0))
        abort();
    slash = strrchr(out, '/');
    /* To the cache, as to ld.so, libc.so.06 is libc.so.6. */
    bool plain = line[4][0] && !strpbrk(line[4], "/0");
    if (rc == 0 && (access(out, F_OK) != 0 || search.fd < 0 ||
                    (plain && (!slash || strcmp(slash + 1, line[4])))))
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
