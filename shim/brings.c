/* SPDX-License-Identifier: Apache-2.0 */
#include "brings.h"
#include "engine.h"
#include "mapped.h"
#include "needs.h"
#include "syscalls.h"

static bool has_token(const char *path)
{
    while (*path && *path != '$')
        path++;
    return *path;
}

/* In a frame of its own, which is gone before anybody is asked: threads have small stacks. */
static __attribute__((noinline)) enum cua_brings look_into(int fd)
{
    uint64_t keys[CUA_NEEDS_MAX];
    enum cua_needs needs;
    size_t count;

    needs = cua_needs(fd, keys, &count);
    cua_sys_close(fd);
    if (needs == CUA_NEEDS_UNREADABLE)
        return CUA_BRINGS_UNKNOWN;
    return needs == CUA_NEEDS_READ && cua_mapped_all(keys, count) ? CUA_BRINGS_NOTHING
                                                                  : CUA_BRINGS_MORE;
}

enum cua_brings cua_brings(const char *path, bool is_name, const void *caller)
{
    struct cua_answer answer;
    int fd;

    /* Where ld.so expands, only the engine can follow. */
    if (has_token(path))
        return CUA_BRINGS_MORE;
    if (!is_name) {
        fd = cua_sys_open(path);
        return fd < 0 ? CUA_BRINGS_UNKNOWN : look_into(fd);
    }
    /* Where ld.so searches, too; what the engine finds is looked into here. */
    cua_ask(CUA_ASK_FOUND, path, 0, caller, NULL, &answer);
    if (answer.action != CUA_LOOK)
        return answer.final ? CUA_BRINGS_NOTHING : CUA_BRINGS_UNKNOWN;
    return answer.file < 0 ? CUA_BRINGS_MORE : look_into(answer.file);
}
