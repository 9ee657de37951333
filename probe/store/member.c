/* SPDX-License-Identifier: Apache-2.0 */
#include "store/member.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cuarbiter/libraries.h"
#include "base/text.h"
#include "drivers/store.h"

enum cua_member cua_member_of(const char *name)
{
    static const char *const licences[] = {"LICENSE", "LICENSE.txt", "EULA.txt", "copyright",
                                           "COPYRIGHT"};
    const char *tail = "";
    const struct cua_library *library = cua_library_of(name, &tail);

    if (cua_find(licences, sizeof licences / sizeof *licences, name) >= 0)
        return CUA_MEMBER_LICENCE;
    if (!strcmp(name, CUA_STORE_MANIFEST))
        return CUA_MEMBER_MANIFEST;
    return library && library->kind != CUA_LIBRARY_BOUND && tail[0] &&
                   cua_library_tail_plain(tail) && strlen(name) < CUA_MEMBER_NAME / 2
               ? CUA_MEMBER_LIBRARY
               : CUA_MEMBER_NONE;
}

bool cua_write_all(int fd, const void *bytes, uint64_t size)
{
    const char *from = bytes;

    while (size) {
        ssize_t n = write(fd, from, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        from += n;
        size -= (uint64_t)n;
    }
    return true;
}

bool cua_read_all(int fd, void *bytes, uint64_t size)
{
    char *to = bytes;

    while (size) {
        ssize_t n = read(fd, to, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        to += n;
        size -= (uint64_t)n;
    }
    return true;
}
