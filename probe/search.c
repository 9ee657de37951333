/* SPDX-License-Identifier: Apache-2.0 */
#include "search.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elfread.h"
#include "oldstat.h"
#include "text.h"

enum { FOUND, NEXT, GIVE_UP };

/* What lies below a folder that is searched. */
enum { PLAIN, SUBFOLDERS, MISSING };

static bool has_sysroot(const struct cua_view *view)
{
    return view->sysroot && view->sysroot[0];
}

void cua_search_start(struct cua_search *search, const struct cua_view *view)
{
    ssize_t n = -1;
    char *slash;

    search->view = view;
    search->cache_open = false;
    search->fd = -1;
    cua_ldso_of(&search->ldso, view);
    /* The cache and the program are read when they are needed. */
    if (!view->whatif && !view->pid && view->library_path && strchr(view->library_path, '$'))
        n = readlink("/proc/self/exe", search->program, sizeof search->program - 1);
    search->program[n > 0 ? n : 0] = 0;
    slash = strrchr(search->program, '/');
    if (slash)
        slash[slash == search->program] = 0;
}

void cua_search_end(struct cua_search *search)
{
    if (search->cache_open)
        cua_cache_close(&search->cache);
    search->cache_open = false;
    if (search->fd >= 0)
        close(search->fd);
    search->fd = -1;
}

/* The length of the token at `text`, which is behind a '$'; 0 where it is another. */
static size_t token(const char *text, const char *name)
{
    bool braces = text[0] == '{';
    size_t length = strlen(name);
    char after;

    text += braces;
    if (strncmp(text, name, length) != 0)
        return 0;
    after = text[length];
    if (braces)
        return after == '}' ? length + 2 : 0;
    if ((after >= 'A' && after <= 'Z') || (after >= 'a' && after <= 'z') ||
        (after >= '0' && after <= '9') || after == '_')
        return 0;
    return length;
}

/* One element; false where it does not fit, "" where ld.so would leave it out. */
static bool expand_element(struct cua_ldso *ldso, const char *in, size_t length, const char *origin,
                           char *out, size_t size)
{
    const char *end = in + length;
    size_t used = 0;

    out[0] = 0;
    while (in < end) {
        const char *with = NULL;
        size_t skip = 0;
        if (*in == '$') {
            if ((skip = token(in + 1, "ORIGIN")))
                with = origin;
            else if ((skip = token(in + 1, "LIB")))
                with = ldso->lib;
            else if ((skip = token(in + 1, "PLATFORM"))) {
                cua_ldso_ask(ldso);
                with = ldso->platform;
            }
            if (skip && (!with || !with[0])) {
                out[0] = 0;
                return true;
            }
        }
        if (used + (with ? strlen(with) : 1) >= size)
            return false;
        if (with) {
            cua_copy(out + used, size - used, with);
            used += strlen(with);
            in += 1 + skip;
        } else {
            out[used++] = *in++;
        }
        out[used] = 0;
    }
    return true;
}

bool cua_search_expand(struct cua_ldso *ldso, const char *list, const char *separators,
                       const char *origin, char *out, size_t size)
{
    char element[PATH_MAX];

    out[0] = 0;
    for (;; list++) {
        size_t length = strcspn(list, separators);
        bool fits = expand_element(ldso, list, length, origin, element, sizeof element);
        if (fits && length == 0)
            cua_copy(element, sizeof element, ".");
        if (fits && element[0] &&
            ((out[0] && !cua_append(out, size, ":")) || !cua_append(out, size, element)))
            return false;
        list += length;
        if (!*list)
            return true;
    }
}

/* As ld.so verifies what it opens: only another class or machine makes it look further. */
static int try_real(struct cua_search *search, const char *real)
{
    int fd = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    enum cua_elf_state state;
    const char *trouble;

    if (fd < 0)
        return errno == ENOENT || errno == EACCES || errno == ENOTDIR ? NEXT : GIVE_UP;
    state = cua_elf_glance(fd, search->ldso.machine, &trouble);
    if (state == CUA_ELF_OTHER) {
        close(fd);
        return NEXT;
    }
    if (search->fd >= 0)
        close(search->fd);
    search->fd = fd;
    return FOUND;
}

/*
 * A path that ld.so would try. Below a sysroot lie the drivers of a described machine; what a live
 * program brings itself lies outside of it, except its libcuda where only folders are named.
 */
static int try_path(struct cua_search *search, const char *path, bool named, char *out)
{
    const struct cua_view *view = search->view;
    int result = NEXT, error = -ENOENT;
    bool foreign = view->whatif || view->pid;

    if (has_sysroot(view) && (foreign || !named))
        error = cua_view_resolve(view, path, out);
    else if (!view->pid || path[0] == '/')
        error = cua_copy(out, PATH_MAX, path) ? 0 : -ENAMETOOLONG;
    if (error == 0)
        result = try_real(search, out);
    else if (error != -ENOENT && error != -EACCES && error != -ENOTDIR)
        result = GIVE_UP;
    if (result == NEXT && has_sysroot(view) && !foreign && !named &&
        !cua_ends(path, "/libcuda.so.1") && cua_copy(out, PATH_MAX, path))
        result = try_real(search, out);
    return result;
}

static bool is_folder(struct cua_search *search, const char *folder, const char *name)
{
    char *path = search->subfolder;
    struct stat st;

    return cua_join(path, PATH_MAX, folder, name) && cua_view_stat(search->view, path, &st) == 0 &&
           S_ISDIR(st.st_mode);
}

/* Names under which ld.so has looked for tuned libraries, in one version or another. */
static const char *const x86_64[] = {"tls", "x86_64", "haswell", "avx512_1", "xeon_phi", NULL};
static const char *const aarch64[] = {"tls", "aarch64", "atomics", NULL};

bool cua_search_is_subfolder(const char *name)
{
    bool is = strcmp(name, "glibc-hwcaps") == 0;

    for (const char *const *other = x86_64; *other && !is; other++)
        is = strcmp(name, *other) == 0;
    for (const char *const *other = aarch64; *other && !is; other++)
        is = strcmp(name, *other) == 0;
    return is;
}

static int look_for_subfolders(struct cua_search *search, const char *folder)
{
    const char *const *name = search->ldso.machine == EM_X86_64 ? x86_64 : aarch64;

    struct stat st;
    int error = cua_view_stat(search->view, folder, &st);

    if (error)
        return error == -ENOENT ? MISSING : PLAIN;
    if (search->ldso.glibc >= 233 && is_folder(search, folder, "glibc-hwcaps"))
        return SUBFOLDERS;
    for (; search->ldso.glibc < 237 && *name; name++) {
        if (is_folder(search, folder, *name))
            return SUBFOLDERS;
    }
    return PLAIN;
}

/* Folders of this process without such subfolders, by a hash of their paths. ld.so, too, looks for
 * a folder once and remembers for ever what was not there. */
static _Atomic uint64_t plain[32];

static bool is_own(const struct cua_view *view, const char *folder)
{
    return !has_sysroot(view) && !view->pid && !view->whatif && folder[0] == '/';
}

static uint64_t hash(const char *folder)
{
    uint64_t value = 0xcbf29ce484222325u;

    for (const char *c = folder; *c; c++)
        value = (value ^ (unsigned char)*c) * 0x100000001b3u;
    return value;
}

void cua_search_plain(const struct cua_view *view, const char *folder)
{
    uint64_t value = hash(folder);

    if (is_own(view, folder))
        atomic_store_explicit(&plain[value % 32], value, memory_order_relaxed);
}

static int look_below(struct cua_search *search, const char *folder)
{
    uint64_t value;
    int below;

    if (!is_own(search->view, folder))
        return look_for_subfolders(search, folder);
    value = hash(folder);
    if (atomic_load_explicit(&plain[value % 32], memory_order_relaxed) == value)
        return PLAIN;
    below = look_for_subfolders(search, folder);
    if (below == PLAIN)
        cua_search_plain(search->view, folder);
    return below;
}

static int try_folder(struct cua_search *search, const char *folder, const char *name, char *out)
{
    char *path = search->file;
    int result = NEXT, below;

    below = look_below(search, folder);
    if (below == MISSING && !has_sysroot(search->view))
        return NEXT;
    if (below == SUBFOLDERS) {
        cua_ldso_ask(&search->ldso);
        for (unsigned i = 0; i < search->ldso.subfolders && result == NEXT; i++) {
            if (cua_join(path, PATH_MAX, folder, search->ldso.subfolder[i]) &&
                cua_join(path, PATH_MAX, path, name))
                result = try_path(search, path, false, out);
        }
    }
    if (result == NEXT && cua_join(path, PATH_MAX, folder, name))
        result = try_path(search, path, false, out);
    return result;
}

/* Where a file can neither be opened nor is missing, ld.so drops the rest of the list. */
static bool try_list(struct cua_search *search, const char *list, const char *name, char *out)
{
    char *folder = search->folder;
    int result = NEXT;

    while (list && *list && result == NEXT) {
        size_t length = strcspn(list, ":");
        if (cua_copy_n(folder, PATH_MAX, list, length) && folder[0])
            result = try_folder(search, folder, name, out);
        list += length;
        list += *list == ':';
    }
    return result == FOUND;
}

static bool try_library_path(struct cua_search *search, const char *name, char *out)
{
    const char *path = search->view->library_path;
    const size_t size = 4 * PATH_MAX;
    char *list = path && *path ? malloc(size) : NULL;
    bool found = list &&
                 cua_search_expand(&search->ldso, path, ":;", search->program, list, size) &&
                 try_list(search, list, name, out);

    free(list);
    return found;
}

static bool try_cache(struct cua_search *search, const char *name, char *out)
{
    const char *file;

    if (!search->cache_open)
        cua_cache_open(&search->cache, search->view);
    search->cache_open = true;
    file = cua_cache_find(&search->cache, &search->ldso, name);
    return file && try_path(search, file, false, out) == FOUND;
}

/* /lib is a link to /usr/lib nearly everywhere: what was not found there is not found again. */
static bool try_default(struct cua_search *search, const char *name, char *out)
{
    struct stat met[4], st;
    size_t count = 0, same;
    int result = NEXT;

    for (const char *const *f = search->ldso.folders; *f && result == NEXT; f++) {
        if (!has_sysroot(search->view) && cua_stat(*f, &st) == 0) {
            for (same = 0; same < count; same++)
                if (met[same].st_dev == st.st_dev && met[same].st_ino == st.st_ino)
                    break;
            if (same < count)
                continue;
            if (count < sizeof met / sizeof *met)
                met[count++] = st;
        }
        result = try_folder(search, *f, name, out);
    }
    return result == FOUND;
}

int cua_search_find(struct cua_search *search, const struct cua_search_for *requester,
                    const char *name, char *out)
{
    char *path = search->named;

    if (strchr(name, '/')) {
        if (expand_element(&search->ldso, name, strlen(name), requester->origin, path, PATH_MAX) &&
            path[0] && try_path(search, path, true, out) == FOUND)
            return 0;
        return -ENOENT;
    }
    for (const char *const *list = requester->runpath ? NULL : requester->rpath; list && *list;
         list++) {
        if (try_list(search, *list, name, out))
            return 0;
    }
    if (try_library_path(search, name, out) || try_list(search, requester->runpath, name, out) ||
        try_cache(search, name, out) || try_default(search, name, out))
        return 0;
    out[0] = 0;
    return -ENOENT;
}
