/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/ldso_args.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/whole.h"

/* The kernel's own limit on arguments and environment together is 6 MiB with default stacks. */
#define MAX_CMDLINE (8u << 20)

static const char *next_word(const char *word, const char *end)
{
    word = word < end ? memchr(word, 0, (size_t)(end - word)) : NULL;
    return word ? word + 1 : end;
}

/* Up to "--" or the program. ld.so has more options; all that start one take a value but one. */
const char *cua_ldso_args_path(const char *words, size_t size)
{
    const char *end = words + size, *path = NULL, *word = next_word(words, end);

    if (!size || end[-1])
        return NULL;
    while (word < end && strncmp(word, "--", 2) == 0 && word[2]) {
        const char *value = next_word(word, end);
        if (strcmp(word, "--inhibit-cache") == 0) {
            word = value;
            continue;
        }
        if (value < end && strcmp(word, "--library-path") == 0)
            path = value;
        word = next_word(value, end);
    }
    return path;
}

const char *cua_ldso_args_own(void)
{
    static const char nothing[1];
    static const char *_Atomic known;
    const char *told = atomic_load(&known), *before = NULL;
    size_t size;

    if (getauxval(AT_BASE))
        return NULL;
    if (!told) {
        char *words = cua_whole_file("/proc/self/cmdline", MAX_CMDLINE, &size);
        told = words ? cua_ldso_args_path(words, size) : NULL;
        char *copy = told ? strdup(told) : NULL;
        free(words);
        told = copy ? copy : nothing;
        if (!atomic_compare_exchange_strong(&known, &before, told)) {
            free(copy);
            told = before;
        }
    }
    return told == nothing ? NULL : told;
}
