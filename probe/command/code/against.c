/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/against.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

bool cua_code_against(const struct cua_code_target *target, const char *path, char *text,
                      size_t size)
{
    struct cua_code code;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool known = fd >= 0 && cua_code_scan(&code, fd, path, target, NULL, NULL);

    if (fd >= 0)
        close(fd);
    if (!known || cua_code_result(&code) < CUA_RESULT_PARTIAL)
        return false;
    snprintf(text, size,
             "of %lu modules %lu end in 222 and %lu in 200, %lu run or are compiled: %s",
             code.modules, code.end[CUA_CODE_222], code.end[CUA_CODE_200],
             code.end[CUA_CODE_SERVES], path);
    return true;
}
