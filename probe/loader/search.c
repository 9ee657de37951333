/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the file that ld.so would open for a name. search.h explains the terms. */
#include "loader/search.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "loader/mapped.h"
#include "loader/expand.h"
#include "base/oldstat.h"
#include "base/text.h"

enum { FOUND, NEXT, GIVE_UP };

/* PLAIN: the folder has no subfolder for tuned libraries, or, from glibc 2.37 on, does not exist.
 * SUBFOLDERS: it has some. MISSING: before glibc 2.37, the folder does not exist. */
enum { PLAIN, SUBFOLDERS, MISSING };

void cua_search_start(struct cua_search *search, const struct cua_subject *subject, bool judges)
{
    search->judges = judges;
    search->subject = subject;
    search->cache = NULL;
    search->folders = 0;
    search->unsure = false;
    search->elf = NULL;
    search->opened = NULL;
    search->program[0] = 0;
    search->device = 0;
    search->counts = false;
    cua_ldso_of(&search->ldso, subject);
    /* $ORIGIN in LD_LIBRARY_PATH means the program's folder. */
    if (cua_subject_is_own(subject) && subject->library_path && strchr(subject->library_path, '$'))
        cua_expand_origin(cua_mapped_program(), search->program);
}

void cua_search_end(struct cua_search *search)
{
    cua_cache_give(search->cache);
}

/* Decides, as ld.so does, whether to go on with the next folder after an error. Sets `unsure` if
 * the error may be temporary. */
static int after(struct cua_search *search, int error)
{
    if (error == -ENOENT || error == -EACCES || error == -ENOTDIR)
        return NEXT;
    search->unsure |= error == -ENOMEM || error == -EMFILE || error == -ENFILE || error == -EINTR ||
                      error == -EAGAIN;
    return GIVE_UP;
}

/* Tries to open a file, and checks it as ld.so does. ld.so skips a file for another ELF class or
 * machine (NEXT), but takes a damaged one and then fails (FOUND, with the damage in `state`). */
static int try_real(struct cua_search *search, const char *real)
{
    int fd = cua_real_open(search->subject, real);
    const unsigned machine = search->ldso.machine;
    Elf64_Ehdr header;
    ssize_t got;

    /* These errors may be temporary, so try once more. If they repeat, ld.so goes on with the next
     * list of folders. */
    if (fd == -EIO || fd == -ESTALE)
        fd = cua_real_open(search->subject, real);
    if (fd < 0)
        return after(search, fd);
    if (search->elf) {
        search->state = cua_elf_open(search->elf, fd, NULL, machine);
    } else {
        got = pread(fd, &header, sizeof header, 0);
        search->state = cua_elf_glance(&header, got > 0 ? (size_t)got : 0, machine);
        if (search->opened && search->state != CUA_ELF_OTHER)
            *search->opened = fd;
        else
            close(fd);
    }
    return search->state == CUA_ELF_OTHER ? NEXT : FOUND;
}

/* Tries a path as ld.so would. `named`: the path is the program's own request. Otherwise the search
 * made it, from a folder or from ld.so's cache. Where the path is looked up depends on the subject:
 * - This process: the path is used as it is.
 * - This process with a sysroot, a folder with the drivers of a machine that is only described: a
 *   `named` path is only tried outside the sysroot. Any other path is tried below the sysroot
 *   first, then outside it, where the program's own libraries are; but libcuda.so.1 only below it.
 * - Any other subject: below the subject's root. */
static int try_path(struct cua_search *search, const char *path, bool named, char *out)
{
    const struct cua_subject *subject = search->subject;
    int result, error;
    bool foreign = !cua_subject_is_own(subject), plain = cua_subject_is_plain(subject);

    if (foreign || (!plain && !named))
        error = cua_subject_resolve(subject, path, out);
    else
        error = cua_copy(out, PATH_MAX, path) ? 0 : -ENAMETOOLONG;
    result = error ? after(search, error) : try_real(search, out);
    if (result == NEXT && !plain && !foreign && !named && !cua_ends(path, "/libcuda.so.1") &&
        cua_copy(out, PATH_MAX, path))
        result = try_real(search, out);
    return result;
}

static bool is_folder(struct cua_search *search, const char *folder, const char *name)
{
    char *path = search->subfolder;
    struct stat st;

    return cua_join(path, PATH_MAX, folder, name) &&
           cua_subject_stat(search->subject, path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Before glibc 2.37: in this many folders of a search, every name of the architecture's list below
 * is looked for. In later folders only the names that this processor uses are looked for; executing
 * cpuid finds them, but costs as much as looking for all names in the first folders. */
#define FEW_FOLDERS 16

/* Every name, except glibc-hwcaps, that a subfolder for tuned libraries can have for an ld.so
 * before glibc 2.37: a list for each architecture, with the names for all its processors. */
static const char *const x86_64[] = {"tls", "x86_64", "haswell", "avx512_1", "xeon_phi", NULL};
static const char *const aarch64[] = {"tls", "aarch64", "atomics", NULL};

static bool uses(const struct cua_ldso *ldso, const char *name)
{
    unsigned i = 0;

    while (i < ldso->subfolders && strcmp(ldso->subfolder[i] + 1, name) != 0)
        i++;
    return i < ldso->subfolders;
}

/* Whether a folder's link count shows how many subfolders the folder has, as on ext4, XFS and
 * tmpfs. On other file systems the count may be 1 or 2 for every folder. Also false if the search
 * may not call statfs, because ld.so would not call it (search->judges). */
static bool counts_folders(struct cua_search *search, const char *folder, dev_t device)
{
    struct statfs fs;

    if (search->device != device && search->judges && cua_subject_is_plain(search->subject)) {
        search->device = device;
        search->counts = syscall(SYS_statfs, folder, &fs) == 0 &&
                         (fs.f_type == EXT4_SUPER_MAGIC || fs.f_type == XFS_SUPER_MAGIC ||
                          fs.f_type == TMPFS_MAGIC);
    }
    return search->counts;
}

static int look_for_subfolders(struct cua_search *search, const char *folder)
{
    struct cua_ldso *ldso = &search->ldso;
    const char *const *name = ldso->machine == EM_X86_64 ? x86_64 : aarch64;
    struct stat st = {.st_nlink = 0};

    /* Before glibc 2.37 there are several names to look for, so first check whether the folder
     * exists. From 2.37 on there is only glibc-hwcaps, and looking for it costs as much as that
     * check. */
    if (ldso->glibc < 237 && cua_subject_stat(search->subject, folder, &st) == -ENOENT)
        return MISSING;
    if (st.st_nlink == 2 && counts_folders(search, folder, st.st_dev))
        return PLAIN;
    if (search->folders++ == FEW_FOLDERS && ldso->glibc < 237)
        cua_ldso_ask(ldso);
    if (ldso->glibc >= 233 && is_folder(search, folder, "glibc-hwcaps"))
        return SUBFOLDERS;
    for (; ldso->glibc < 237 && *name; name++)
        if ((!ldso->asked || uses(ldso, *name)) && is_folder(search, folder, *name))
            return SUBFOLDERS;
    return PLAIN;
}

/* Hashes of the paths of folders that have no subfolder for tuned libraries, so that the subfolders
 * are not looked for again. */
static _Atomic uint64_t plain[256];

static int look_below(struct cua_search *search, const char *folder)
{
    uint64_t hash = cua_hash(folder);
    bool kept = cua_subject_is_plain(search->subject) && folder[0] == '/';
    int below;

    if (kept && atomic_load_explicit(&plain[hash % 256], memory_order_relaxed) == hash)
        return PLAIN;
    below = look_for_subfolders(search, folder);
    if (kept && below == PLAIN)
        atomic_store_explicit(&plain[hash % 256], hash, memory_order_relaxed);
    return below;
}

static int try_folder(struct cua_search *search, const char *folder, const char *name, char *out)
{
    char *path = search->file;
    int result = NEXT, below;

    below = look_below(search, folder);
    if (below == MISSING && cua_subject_is_plain(search->subject))
        return NEXT;
    if (below == SUBFOLDERS) {
        cua_ldso_ask(&search->ldso);
        for (unsigned i = 0; i < search->ldso.subfolders && result == NEXT; i++)
            if (cua_join(path, PATH_MAX, folder, search->ldso.subfolder[i]) &&
                cua_join(path, PATH_MAX, path, name))
                result = try_path(search, path, false, out);
    }
    if (result == NEXT && cua_join(path, PATH_MAX, folder, name))
        result = try_path(search, path, false, out);
    return result;
}

/* Tries each folder of a list. Like ld.so, gives up the rest of the list if opening a file fails
 * with an error other than ENOENT, ENOTDIR or EACCES. `origin`: NULL if the list is expanded
 * already; else what $ORIGIN in it means. */
static bool try_list(struct cua_search *search, const char *list, const char *separators,
                     const char *origin, const char *name, char *out)
{
    char *folder = search->folder;
    int result = NEXT;

    for (const char *at = list && *list ? list : NULL; at && result == NEXT;) {
        size_t length = strcspn(at, separators);
        bool fits = origin ? cua_expand(&search->ldso, at, length, origin, folder, PATH_MAX)
                           : cua_copy_n(folder, PATH_MAX, at, length);
        if (fits && folder[0])
            result = try_folder(search, folder, name, out);
        at = at[length] ? at + length + 1 : NULL;
    }
    return result == FOUND;
}

static bool try_cache(struct cua_search *search, const char *name, char *out)
{
    const char *file = NULL;

    if (!search->cache)
        search->cache = cua_cache_take(search->subject);
    if (search->cache)
        file = cua_cache_find(search->cache, &search->ldso, name);
    after(search, search->cache ? search->cache->error : -ENOMEM);
    return file && try_path(search, file, false, out) == FOUND;
}

static bool try_default(struct cua_search *search, const char *name, char *out)
{
    int result = NEXT;

    for (const char *const *f = search->ldso.folders; *f && result == NEXT; f++)
        result = try_folder(search, *f, name, out);
    return result == FOUND;
}

int cua_search_find(struct cua_search *search, const struct cua_requester *requester,
                    const char *name, char *out)
{
    const char *rpath = requester && !requester->runpath ? requester->list : NULL;
    const char *runpath = requester && requester->runpath ? requester->list : NULL;
    char *path = search->folder;
    bool found;

    if (strchr(name, '/'))
        found = cua_expand(&search->ldso, name, strlen(name), requester ? requester->origin : "",
                           path, PATH_MAX) &&
                path[0] && try_path(search, path, true, out) == FOUND;
    else
        found = try_list(search, rpath, ":", NULL, name, out) ||
                try_list(search, search->subject->library_path, ":;", search->program, name, out) ||
                try_list(search, runpath, ":", NULL, name, out) || try_cache(search, name, out) ||
                try_default(search, name, out);
    if (!found)
        out[0] = 0;
    return found ? 0 : -ENOENT;
}

int cua_loader_find(const struct cua_subject *subject, const struct cua_requester *requester,
                    const char *name, char *out, int *opened)
{
    struct cua_search *search = malloc(sizeof *search);
    int error;

    out[0] = 0;
    if (!search)
        return -ENOMEM;
    cua_search_start(search, subject, cua_starts(name, "libcuda.so"));
    search->opened = opened;
    error = cua_search_find(search, requester, name, out);
    error = search->unsure ? -EAGAIN : error;
    cua_search_end(search);
    free(search);
    return error;
}
