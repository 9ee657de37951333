/* SPDX-License-Identifier: Apache-2.0 */
/* /etc/ld.so.cache. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "loader/ldcache.h"
#include "loader/ldso.h"
#include "machine/subject.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int count(void *data, const char *file)
{
    *(size_t *)data += strlen(file);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"libcuda.so.1", "libc.so.6", "libcuda.so", "lib12", ""};
    static const unsigned releases[] = {231, 236, 241};
    struct cua_cache cache;
    struct cua_ldso ldso;
    const struct cua_subject subject = {.sysroot = ""};
    char *copy = malloc(size + 1);
    size_t total = 0;

    if (!copy)
        return 0;
    memcpy(copy, bytes, size);
    if (cua_cache_parse(&cache, copy, size) != 0)
        return 0;
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        cua_ldso_of(&ldso, &subject);
        ldso.glibc = releases[i];
        for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
            const char *file = cua_cache_find(&cache, &ldso, names[j]);
            total += file ? strlen(file) : 0;
            cua_cache_each(&cache, &ldso, names[j], count, &total);
        }
    }
    cua_cache_close(&cache);
    return 0;
}
