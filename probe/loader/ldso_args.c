/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/ldso_args.h"

#include <string.h>

#include "machine/asker.h"

static const char *next_word(const char *word, const char *end)
{
    word = word < end ? memchr(word, 0, (size_t)(end - word)) : NULL;
    return word ? word + 1 : end;
}

/* Skips ld.so's options, and "--" after them, and returns where the program's name is; `end` if
 * there is none. `path` receives the value of --library-path, if there is one. Of the options with
 * which ld.so runs a program, only --inhibit-cache takes no value. */
static const char *read_options(const char *words, const char *end, const char **path)
{
    const char *word = next_word(words, end);

    while (word < end && strncmp(word, "--", 2) == 0 && word[2]) {
        const char *value = next_word(word, end);
        if (strcmp(word, "--inhibit-cache") == 0) {
            word = value;
            continue;
        }
        if (value < end && strcmp(word, "--library-path") == 0)
            *path = value;
        word = next_word(value, end);
    }
    return word < end && strcmp(word, "--") == 0 ? next_word(word, end) : word;
}

const char *cua_ldso_args_path(const char *words, size_t size)
{
    const char *path = NULL;

    if (size && !words[size - 1])
        read_options(words, words + size, &path);
    return path;
}

const char *cua_ldso_args_own(void)
{
    return cua_asker.words ? cua_ldso_args_path(cua_asker.words, cua_asker.words_size) : NULL;
}

const char *cua_ldso_args_program(void)
{
    const char *words = cua_asker.words, *end, *path = NULL, *word;

    if (!words || !cua_asker.words_size || words[cua_asker.words_size - 1])
        return NULL;
    end = words + cua_asker.words_size;
    word = read_options(words, end, &path);
    return word < end ? word : NULL;
}
