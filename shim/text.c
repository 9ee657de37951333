/* SPDX-License-Identifier: Apache-2.0 */
/* String functions that do not use libc, which may not be set up yet, and that no other library can
 * intercept. */
#include "text.h"

#define ONES  0x0101010101010101ull
#define HIGHS 0x8080808080808080ull

typedef uint64_t __attribute__((may_alias)) word_of_any;

static uint64_t load(const char *at)
{
    uint64_t word;

    __builtin_memcpy(&word, at, 8);
    return word;
}

/* Reads eight bytes at a time, because this runs in every dlopen. The reads are aligned: so none of
 * them reaches into a page that has no byte of the string, and memory checkers report nothing. */
inline size_t cua_length(const char *text)
{
    size_t before = (uintptr_t)text % 8;
    const char *at = text - before;
    uint64_t word = *(const word_of_any *)(const void *)at, zeros;

    word |= ((uint64_t)1 << before * 8) - 1;
    for (;;) {
        zeros = (word - ONES) & ~word & HIGHS;
        if (zeros)
            return (size_t)(at - text) + (size_t)__builtin_ctzll(zeros) / 8;
        at += 8;
        word = *(const word_of_any *)(const void *)at;
    }
}

#define FACTOR 0x9e3779b97f4a7c15ull

uint64_t cua_key(const char *text)
{
    size_t length = cua_length(text);
    const char *at = text, *last = text + length - 8;
    uint64_t key = length, word = 0;

    if (length >= 8) {
        for (; at < last; at += 8)
            key = (key ^ load(at)) * FACTOR;
        /* Reads the last eight bytes, which may overlap the word before: cheaper than reading the
         * rest byte by byte. */
        word = load(last);
    } else {
        while (length--)
            word = word << 8 | (unsigned char)text[length];
    }
    key = (key ^ word) * FACTOR;
    key = (key ^ key >> 32) * FACTOR;
    return (key ^ key >> 29) | 1ull << 63;
}

bool cua_same(const char *a, const char *b)
{
    for (; *a == *b; a++, b++)
        if (!*a)
            return true;
    return false;
}

bool cua_has(const char *text, char c)
{
    while (*text && *text != c)
        text++;
    return *text;
}

bool cua_starts(const char *text, const char *head)
{
    for (; *head; text++, head++)
        if (*text != *head)
            return false;
    return true;
}

const char *cua_file(const char *path)
{
    const char *at = path + cua_length(path);

    if (*path == '/')
        while (at[-1] != '/')
            at--;
    while (at > path && at[-1] != '/')
        at--;
    return at;
}

char *cua_mempcpy(char *to, const char *from, size_t length)
{
    while (length--)
        *to++ = *from++;
    return to;
}
