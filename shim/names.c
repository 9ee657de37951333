/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cuarbiter/libraries.h"

#include "names.h"
#include "text.h"

/* One string each, and no table of pointers, which would be relocated in every process. */
#define STEM(stem, kind) stem "\0"
static const char stems[] = CUA_LIBRARIES(STEM);
#undef STEM

static const char libc_names[][24] = {
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "libpthread.so.0",
    "librt.so.1",
    "libutil.so.1",
    "libgcc_s.so.1",
    "libstdc++.so.6",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
};

/* What is behind the stem: ".so", or ".so." and digits and dots. */
static bool is_tail(const char *tail)
{
    if (!cua_starts(tail, ".so"))
        return false;
    tail += 3;
    if (!*tail)
        return true;
    if (tail[0] != '.' || !tail[1])
        return false;
    while (*tail == '.' || (*tail >= '0' && *tail <= '9'))
        tail++;
    return !*tail;
}

/* Turns nearly every name of a program away at its fourth character. */
static bool may_be_listed(const char *file)
{
    if (file[0] != 'l' || file[1] != 'i' || file[2] != 'b')
        return false;
    switch (file[3]) {
    case 'c':
        return file[4] == 'u' && file[5] == 'd';
    case 'n':
        return file[4] == 'v';
    case 'v':
    case 'E':
    case 'G':
        return true;
    default:
        return false;
    }
}

bool cua_name_listed(const char *file)
{
    const char *stem;
    size_t length;

    if (!may_be_listed(file))
        return false;
    for (stem = stems; *stem; stem += length + 1) {
        length = 0;
        while (stem[length] && stem[length] == file[length])
            length++;
        if (!stem[length] && is_tail(file + length))
            return true;
        while (stem[length])
            length++;
    }
    return false;
}

bool cua_name_libcuda(const char *file)
{
    return cua_starts(file, "libcuda") && is_tail(file + 7);
}

bool cua_name_libc(const char *file)
{
    size_t i;

    for (i = 0; i < sizeof(libc_names) / sizeof(*libc_names); i++)
        if (cua_same(libc_names[i], file))
            return true;
    return false;
}
