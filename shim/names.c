/* SPDX-License-Identifier: Apache-2.0 */
#include "cuarbiter/libraries.h"

#include "names.h"
#include "text.h"

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

bool cua_name_listed(const char *file)
{
    const char *tail;

    return cua_library_of(file, &tail) && cua_library_tail_plain(tail);
}

bool cua_name_libc(const char *file)
{
    size_t i;

    for (i = 0; i < sizeof(libc_names) / sizeof(*libc_names); i++)
        if (cua_same(libc_names[i], file))
            return true;
    return false;
}
