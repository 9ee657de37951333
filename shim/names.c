/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

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

bool cua_name_libc(const char *file)
{
    size_t i;

    if (file[0] != 'l' || !file[1] || !file[2])
        return false;
    for (i = 0; i < sizeof(libc_names) / sizeof(*libc_names); i++)
        if (libc_names[i][3] == file[3] && cua_same(libc_names[i], file))
            return true;
    return false;
}
