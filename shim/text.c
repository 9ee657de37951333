/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#define ONES  0x0101010101010101ull
#define HIGHS 0x8080808080808080ull

typedef uint64_t __attribute__((may_alias)) word_of_any;

/* Eight bytes at a time: this runs in every dlopen. A word at its own alignment never crosses into
 * a page that the string does not touch. */
size_t cua_length(const char *text)
{
    const char *at = text;
    uint64_t word, zeros;

    for (; (uintptr_t)at % 8; at++)
        if (!*at)
            return (size_t)(at - text);
    for (;; at += 8) {
        word = *(const word_of_any *)(const void *)at;
        zeros = (word - ONES) & ~word & HIGHS;
        if (zeros)
            return (size_t)(at - text) + (size_t)__builtin_ctzll(zeros) / 8;
    }
}

static uint64_t mix(uint64_t key, uint64_t word)
{
    key = (key ^ word) * 0x9e3779b97f4a7c15ull;
    return key ^ (key >> 29);
}

static uint64_t load(const char *at, size_t length)
{
    uint64_t word = 0;

    if (length >= 8) {
        __builtin_memcpy(&word, at, 8);
        return word;
    }
    while (length--)
        word = word << 8 | (unsigned char)at[length];
    return word;
}

uint64_t cua_key(const char *text, size_t length)
{
    uint64_t key = mix(0x6375617262697465ull, length);
    size_t at = 0;

    for (; length - at >= 8; at += 8)
        key = mix(key, load(text + at, 8));
    /* The last word overlaps the one before it, which is cheaper than a tail byte by byte. */
    if (length >= 8)
        key = mix(key, load(text + length - 8, 8));
    else
        key = mix(key, load(text, length));
    return key < 2 ? key + 2 : key;
}

bool cua_same(const char *a, const char *b)
{
    for (; *a == *b; a++, b++)
        if (!*a)
            return true;
    return false;
}

bool cua_starts(const char *text, const char *head)
{
    for (; *head; text++, head++)
        if (*text != *head)
            return false;
    return true;
}

const char *cua_file(const char *path, size_t length)
{
    const char *at = path + length;

    while (at > path && at[-1] != '/')
        at--;
    return at;
}

char *cua_put(char *to, const char *from, size_t length)
{
    while (length--)
        *to++ = *from++;
    return to;
}
