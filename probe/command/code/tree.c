/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/whole.h"
#include "cli/verb.h"
#include "command/code/judge.h"
#include "command/code/members.h"
#include "command/code/scan.h"
#include "elf/imports.h"
#include "loader/loadable.h"

#define MOST_RECORD ((size_t)16 << 20)
#define MOST_NEEDED 65536u
#define INFO        ".dist-info"

/* Globals, because nftw passes no argument to its callback. */
static struct cua_code_look *walking;
static const char *named;

static void complain(const char *path, int error)
{
    cua_complain(path, "%s", strerror(error));
    walking->failed = true;
}

static void on_import(void *data, const char *name)
{
    static const char more[] = ", ...";
    struct cua_code *code = data;

    if (!cua_loadable_lacks(&walking->libcuda, name) || cua_ends(code->lacks, more))
        return;
    if (strlen(code->lacks) + strlen(name) + 2 * sizeof more > sizeof code->lacks)
        name = more + 2;
    if (!code->lacks[0] || cua_append(code->lacks, sizeof code->lacks, ", "))
        cua_append(code->lacks, sizeof code->lacks, name);
}

/* If the file needs libcuda.so, lists in code->lacks the libcuda functions that the file imports
 * and the libcuda of --libcuda lacks. Weak imports do not count, and neither do imports without a
 * relocation. loader/loadable.c does the same for a library that is about to be loaded. */
static void find_lacks(struct cua_code *code, int fd)
{
    struct cua_elf elf;
    char name[64];

    if (cua_elf_open(&elf, fd, NULL, walking->libcuda.header.e_machine) != CUA_ELF_FINE)
        return;
    if (cua_elf_needs(&elf, "libcuda.so", name, sizeof name))
        cua_elf_imports(&elf, true, on_import, code);
    cua_elf_close(&elf);
}

/* The names of the libraries that the examined files need (DT_NEEDED), sorted. They are never
 * freed. */
static char **needed;
static size_t needs, room;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void on_needed(const char *name)
{
    size_t from = 0, to = needs;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const int order = strcmp(name, needed[middle]);
        if (order == 0)
            return;
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    if (needs == room) {
        char **more = needs < MOST_NEEDED ? realloc(needed, (room + 256) * sizeof *more) : NULL;
        if (!more)
            return;
        needed = more;
        room += 256;
    }
    char *copy = strdup(name);
    if (!copy)
        return;
    memmove(&needed[from + 1], &needed[from], (needs - from) * sizeof *needed);
    needed[from] = copy;
    needs++;
}

/* Whether a file is worth reporting: the user named it, it has GPU code or a compiler, or something
 * may be wrong with it. */
static bool is_worth(const struct cua_code *code)
{
    bool against = false;

    for (size_t i = 0; i < code->count; i++)
        against |= code->result[i].verdict != CUA_CODE_SERVES;
    return code->named || code->entries || code->trouble || code->compiler || code->lacks[0] ||
           against;
}

/* Adds a file to the run's files, which then own the contents of `code`. Returns 0, or -1 with
 * errno set. */
static int keep(struct cua_code *code, const char *group)
{
    struct cua_code_look *look = walking;
    struct cua_code_file *files = realloc(look->file, (look->files + 1) * sizeof *files);

    look->file = files ? files : look->file;
    code->path = files ? strdup(code->path) : NULL;
    if (!code->path)
        return -1;
    files[look->files++] = (struct cua_code_file){*code, group};
    return 0;
}

static bool is_ignored(const char *path)
{
    for (size_t i = 0; i < walking->ignores; i++)
        if (fnmatch(walking->ignored[i], path, 0) == 0 ||
            fnmatch(walking->ignored[i], cua_basename(path), 0) == 0)
            return true;
    return false;
}

static int add_info(const char *real)
{
    char **info = realloc(walking->info, (walking->infos + 1) * sizeof *info);

    walking->info = info ? info : walking->info;
    if (!info || !(info[walking->infos] = strdup(real)))
        return -1;
    walking->infos++;
    return 0;
}

static int take_file(struct cua_code *code, int fd, const char *group)
{
    const bool looks = walking->libcuda.segments;
    const int again = looks ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;

    if (!cua_code_scan(code, fd)) {
        if (again >= 0)
            close(again);
        return -1;
    }
    if (looks)
        find_lacks(code, again);
    if (is_worth(code))
        return keep(code, group);
    cua_code_free(code);
    return 0;
}

static int take_member(void *group, const char *path, int fd)
{
    struct cua_code code = {.path = path,
                            .targets = walking->target,
                            .count = walking->targets,
                            .listed = walking->list,
                            .needed = on_needed};

    if (!is_ignored(path))
        return take_file(&code, fd, group);
    close(fd);
    return 0;
}

/* Examines an archive, and closes `fd`. The group of its files is a copy of its path, which is
 * never freed. Returns 0, also after an error message. */
static int take_archive(const char *path, int fd)
{
    static const char *last;
    const char *why = NULL;
    char *group = strdup(path);
    const int rc = group ? cua_code_members(fd, path, take_member, group, &why) : -1;

    close(fd);
    if (rc == 0)
        return 0;
    walking->failed = true;
    why = why ? why : "out of memory";
    if (why != last)
        cua_complain(path, "%s", why);
    last = strstr(why, "libarchive") ? why : NULL; /* report only once that libarchive is missing */
    return 0;
}

/* Examines a file that nftw has found, or records a package's .dist-info folder. Links in the
 * folder are not followed: a file that lies in the folder too is visited where it is. Returns 0, or
 * -1 with errno set, which ends nftw. */
static int visit(const char *real, const struct stat *st, int type, struct FTW *ftw)
{
    const char *path = cua_subject_inside(walking->place, real);
    struct cua_code code = {.path = path,
                            .targets = walking->target,
                            .count = walking->targets,
                            .named = ftw->level == 0,
                            .listed = walking->list,
                            .needed = on_needed};
    char head[512];
    int fd = -EACCES;

    (void)st;
    if (type == FTW_D && cua_ends(path, INFO))
        return add_info(real);
    if (type == FTW_D || (type == FTW_SL && !code.named) || is_ignored(path))
        return 0;
    if (type != FTW_DNR && type != FTW_NS)
        fd = cua_subject_open(walking->place, path);
    if (fd < 0 && fd != -EINVAL) {
        complain(path, -fd);
    } else if (fd < 0 && code.named) {
        cua_complain(path, "neither a file nor a folder");
        walking->failed = true;
    }
    if (fd < 0)
        return 0;
    const ssize_t got = pread(fd, head, sizeof head, 0);
    if (cua_code_is_archive(path, code.named, head, got > 0 ? (size_t)got : 0))
        return take_archive(path, fd);
    return take_file(&code, fd, named);
}

void cua_code_walk(struct cua_code_look *look, const char *path)
{
    char real[PATH_MAX];
    const int error = cua_subject_resolve(look->place, path, real);

    walking = look;
    named = path;
    if (error || nftw(real, visit, 16, FTW_PHYS) != 0)
        complain(path, error ? -error : errno);
}

static int by_path(const void *a, const void *b)
{
    const struct cua_code_file *left = a, *right = b;

    return strcmp(left->code.path, right->code.path);
}

static int of_path(const void *key, const void *file)
{
    return strcmp(key, ((const struct cua_code_file *)file)->code.path);
}

/* Returns "torch 2.8.0" for ".../torch-2.8.0.dist-info"; owned by the caller. NULL: no memory. */
static char *name_of(const char *info)
{
    char *name = strdup(cua_basename(info));

    if (name)
        name[strlen(name) - strlen(INFO)] = '\0';
    if (name && strchr(name, '-'))
        *strchr(name, '-') = ' ';
    return name;
}

/* Makes a package the group of the files that its RECORD lists. Each line of RECORD has a path
 * before its first comma. look->file is sorted by path here. The package's name is never freed. */
static void take_record(struct cua_code_look *look, const char *info)
{
    char path[PATH_MAX], *record = NULL, *rest, *line, *name = NULL;
    const char *inside = cua_subject_inside(look->place, info);
    const size_t folder = strlen(inside) - strlen(cua_basename(inside));

    if (cua_join(path, sizeof path, inside, "RECORD"))
        record = cua_whole(cua_subject_open(look->place, path), MOST_RECORD, NULL);
    for (rest = record; (line = strsep(&rest, "\n"));) {
        line[strcspn(line, ",")] = '\0';
        if (!*line || folder + strlen(line) >= sizeof path)
            continue;
        snprintf(path, sizeof path, "%.*s%s", (int)folder, inside, line);
        struct cua_code_file *file =
            bsearch(path, look->file, look->files, sizeof *look->file, of_path);
        name = file && !name ? name_of(info) : name;
        if (file && name)
            file->group = name;
    }
    free(record);
}

/* Compares by group, then by path without its digits. */
static int by_form(const void *a, const void *b)
{
    static const char digits[] = "0123456789";
    const struct cua_code_file *left = a, *right = b;
    const int group = strcmp(left->group, right->group);
    const char *l = left->code.path, *r = right->code.path;

    for (; group == 0; l++, r++) {
        l += strspn(l, digits);
        r += strspn(r, digits);
        if (*l != *r || !*l)
            return (unsigned char)*l - (unsigned char)*r;
    }
    return group;
}

/* For one target: marks a file as spare if it does not serve, but another file of its group does,
 * and the two paths differ only in digits. look->file is sorted by by_form here, so such files are
 * next to each other. */
static void find_spares(struct cua_code_look *look, size_t target)
{
    for (size_t i = 0, end; i < look->files; i = end) {
        bool serves = false;
        for (end = i; end < look->files && by_form(&look->file[i], &look->file[end]) == 0; end++)
            serves |= look->file[end].code.modules &&
                      look->file[end].code.result[target].verdict == CUA_CODE_SERVES;
        for (; i < end; i++) {
            struct cua_code_result *result = &look->file[i].code.result[target];
            result->spare = serves && result->verdict != CUA_CODE_SERVES;
        }
    }
}

static enum cua_code_end worst_of(const struct cua_code *code)
{
    enum cua_code_end worst = CUA_CODE_SERVES;

    for (size_t i = 0; i < code->count; i++)
        worst = code->result[i].verdict > worst ? code->result[i].verdict : worst;
    return worst;
}

static int by_group(const void *a, const void *b)
{
    const struct cua_code_file *left = a, *right = b;
    const int group = strcmp(left->group, right->group);
    const int worst = (int)worst_of(&right->code) - (int)worst_of(&left->code);

    return group ? group : worst ? worst : strcmp(left->code.path, right->code.path);
}

void cua_code_walked(struct cua_code_look *look)
{
    if (!look->files)
        return;
    qsort(look->file, look->files, sizeof *look->file, by_path);
    for (size_t i = 0; i < look->infos; i++)
        take_record(look, look->info[i]);
    qsort(look->file, look->files, sizeof *look->file, by_form);
    for (size_t i = 0; i < look->targets; i++)
        find_spares(look, i);
    qsort(look->file, look->files, sizeof *look->file, by_group);
}

size_t cua_code_group(const struct cua_code_look *look, size_t from)
{
    size_t count = 1;

    while (from + count < look->files &&
           strcmp(look->file[from].group, look->file[from + count].group) == 0)
        count++;
    return count;
}

/* Whether some file of the group has a module that serves the target. Then a 209 of another file is
 * no failure: builds leave GPUs out on purpose, and a package may have a file for each GPU. */
static bool has_serving(const struct cua_code_look *look, const char *group, size_t target)
{
    static const char *last = "";
    static size_t last_target;
    static bool answer;

    if (last == group && last_target == target)
        return answer;
    last = group;
    last_target = target;
    answer = true;
    for (size_t i = 0; i < look->files; i++)
        if (strcmp(look->file[i].group, group) == 0 &&
            look->file[i].code.result[target].end[CUA_CODE_SERVES])
            return true;
    return answer = false;
}

/* Whether another examined file needs this library. Such a library is loaded with the file that
 * needs it, so no other library can serve instead. */
static bool is_needed(const char *path)
{
    const char *name = cua_basename(path);

    return needs && bsearch(&name, needed, needs, sizeof *needed, by_name);
}

bool cua_code_fails(const struct cua_code_look *look, const struct cua_code_file *file,
                    size_t target)
{
    const struct cua_code_result *result = &file->code.result[target];
    const unsigned long *end = result->end;
    unsigned ends = 1u << result->verdict;

    if (result->verdict == CUA_CODE_PART)
        ends = (end[CUA_CODE_222] ? 1u << CUA_CODE_222 : 0) |
               (end[CUA_CODE_200] ? 1u << CUA_CODE_200 : 0) |
               (cua_code_missing(result) > end[CUA_CODE_SERVES] ? 1u << CUA_CODE_209 : 0);
    if (result->verdict == CUA_CODE_209 && !look->strict && !is_needed(file->code.path) &&
        has_serving(look, file->group, target))
        return false;
    return look->fail_on & ends && !result->spare;
}
