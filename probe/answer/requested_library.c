/* SPDX-License-Identifier: Apache-2.0 */
#include "answer/requested_library.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "drivers/part.h"

bool cua_requested_parse(struct cua_requested *request, const char *name)
{
    const struct cua_library *row;
    const char *tail;

    request->file = cua_basename(name);
    row = cua_library_of(request->file, &tail);
    if (!row || !cua_library_tail_plain(tail))
        return false;
    request->kind = (enum cua_library_kind)row->kind;
    request->stem = row->stem;
    request->version = *tail ? tail + 1 : tail;
    return true;
}

bool cua_same_file(const char *a, const char *b)
{
    struct stat sa, sb;

    return cua_stat(a, &sa) == 0 && cua_stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
           sa.st_ino == sb.st_ino;
}

static bool exists(const char *path, struct stat *st)
{
    return cua_stat(path, st) == 0 && S_ISREG(st->st_mode);
}

int cua_requested_in_folder(const struct cua_requested *request, const char *folder,
                            const struct cua_version *version, char *out, struct stat *st)
{
    bool renamed = request->kind != CUA_LIBRARY_EXACT && cua_version_known(version);
    char plain[PATH_MAX];
    struct cua_version other;

    if (renamed &&
        snprintf(out, PATH_MAX, "%s/%s.so.%s", folder, request->stem, version->text) < PATH_MAX &&
        exists(out, st))
        return 0;
    if (!cua_join(plain, sizeof(plain), folder, request->file) ||
        cua_subject_resolve(&cua_here, plain, out) != 0 || !exists(out, st) ||
        (renamed && cua_part_named(out, &other) && cua_version_compare(&other, version) != 0))
        return -ENOENT;
    return 0;
}

int cua_folder_of(const char *file, char *folder)
{
    char *slash = cua_subject_resolve(&cua_here, file, folder) ? NULL : strrchr(folder, '/');

    if (slash)
        *slash = '\0';
    return slash ? 0 : -ENOENT;
}
