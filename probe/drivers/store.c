/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a store of brought drivers. store.h explains the terms. */
#include "drivers/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/listing.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "base/version.h"
#include "cuarbiter/names.h"
#include "machine/subject.h"
#include "machine/trust.h"

bool cua_store_refuse(struct cua_store *store, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(store->why, sizeof store->why, format, args);
    va_end(args);
    return false;
}

/* The user whose files are trusted, besides root's. A process of root that works for another user
 * for a while (seteuid) does not trust that user's files. */
static uid_t caller(void)
{
    return getuid() ? geteuid() : 0;
}

static bool is_owner(const struct cua_store *store, uid_t uid)
{
    return uid == 0 || uid == caller() || uid == store->owner;
}

bool cua_store_is_own(const struct cua_store *store, const struct stat *st)
{
    return is_owner(store, st->st_uid) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static bool stat_at(int dir, const char *name, struct stat *st)
{
    return syscall(SYS_newfstatat, dir, name, st, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool place_beside(struct cua_store *store, const char *home)
{
    struct stat st, above;

    if (home && cua_starts(home, "/usr/"))
        return cua_copy(store->path, sizeof store->path, CUA_STORE_PACKAGES);
    if (!home || !home[0] || !cua_join(store->path, sizeof store->path, home, CUA_FILE_SHIM) ||
        cua_stat(store->path, &st) ||
        !cua_join(store->path, sizeof store->path, home, CUA_STORE_NAME))
        return false;
    /* The shim's owner may own the store too. This does not apply in a folder like /tmp, which is
     * sticky and which everybody can write to. In a user namespace all users outside it look alike,
     * so the shim's owner proves nothing in such a folder. */
    if (!cua_stat(home, &above) && !(above.st_mode & S_IWOTH && above.st_mode & S_ISVTX))
        store->owner = st.st_uid;
    return true;
}

static bool place_own(struct cua_store *store, const struct cua_settings *settings)
{
    const char *data = cua_settings_env(settings, "XDG_DATA_HOME");
    const char *user = cua_settings_env(settings, "HOME");

    store->above = true;
    if (data && data[0] == '/')
        return cua_join(store->path, sizeof store->path, data, "cuarbiter/" CUA_STORE_NAME);
    return user && user[0] == '/' &&
           cua_join(store->path, sizeof store->path, user,
                    ".local/share/cuarbiter/" CUA_STORE_NAME);
}

/* Takes the store that the site file names. Any user may own this store. */
static bool place_named(struct cua_store *store, const char *site)
{
    struct stat st;

    if (!site[0] || !cua_copy(store->path, sizeof store->path, site))
        return false;
    store->owner = cua_stat(site, &st) ? 0 : st.st_uid;
    store->above = true;
    return true;
}

bool cua_store_place(struct cua_store *store, const struct cua_settings *settings, const char *site,
                     unsigned which)
{
    memset(store, 0, sizeof *store);
    store->fd = store->lock = -1;
    return which == 0   ? place_beside(store, settings->home)
           : which == 1 ? place_named(store, site)
                        : place_own(store, settings);
}

/* Whether only root, this user and store->owner can replace the store's folder. Every folder above
 * it must belong to one of them or to an outsider (cua_is_outsider), such as the host's root in a
 * rootless container. If other users can write to such a folder, it must be sticky, and
 * store->owner must be root. Sets store->path to the path without links, because other users may
 * have created the links. */
static bool is_out_of_reach(struct cua_store *store)
{
    /* A store->owner other than root may have created a folder of the store's name in /tmp. The
     * sticky bit does not protect from that. */
    const bool anybody = store->owner != 0;
    char real[PATH_MAX];
    struct stat st, opened;

    if (cua_subject_resolve(&cua_here, store->path, real) != 0 || cua_lstat(real, &st) ||
        cua_fstat(store->fd, &opened) || st.st_dev != opened.st_dev || st.st_ino != opened.st_ino)
        return cua_store_refuse(store, "its path cannot be resolved");
    cua_copy(store->path, sizeof store->path, real);
    while (real[0]) {
        *strrchr(real, '/') = '\0';
        if (cua_lstat(real[0] ? real : "/", &st))
            return cua_store_refuse(store, "%.500s: %s", real, strerror(errno));
        if ((!is_owner(store, st.st_uid) && !cua_is_outsider(st.st_uid, false)) ||
            (st.st_mode & (S_IWGRP | S_IWOTH) && (anybody || !(st.st_mode & S_ISVTX))))
            return cua_store_refuse(store, "not used: %.500s can be changed by other users",
                                    real[0] ? real : "/");
    }
    return true;
}

bool cua_store_look(struct cua_store *store)
{
    struct stat st;

    store->lock = -1;
    store->fd = open(store->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store->fd < 0)
        return errno == ENOENT || cua_store_refuse(store, "%s", strerror(errno));
    if (cua_fstat(store->fd, &st))
        return cua_store_refuse(store, "%s", strerror(errno));
    if (cua_store_is_own(store, &st))
        return !store->above || is_out_of_reach(store);
    return cua_store_refuse(store, st.st_mode & (S_IWGRP | S_IWOTH)
                                       ? "not used: users other than its owner can change it"
                                       : "not used: it belongs to another user");
}

/* Whether this process is in a container: its pid or user namespace is not the kernel's first one,
 * which has a fixed inode number (linux/proc_ns.h). A container that shares both with the host
 * counts as the host. So does a container without /proc. */
static bool is_in_container(void)
{
    static const char *const first[][2] = {{"/proc/self/ns/pid", "pid:[4026531836]"},
                                           {"/proc/self/ns/user", "user:[4026531837]"}};
    char link[32];

    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        ssize_t n = readlink(first[i][0], link, sizeof link - 1);
        if (n <= 0)
            return false;
        link[n] = '\0';
        if (strcmp(link, first[i][1]) != 0)
            return true;
    }
    return false;
}

bool cua_store_look_to_run(struct cua_store *store)
{
    struct stat st;

    if (caller() == 0 && store->owner != 0 && !is_in_container())
        return cua_store_refuse(store, "not used by root: this folder, or the libcuarbiter.so "
                                       "beside it, belongs to another user");
    /* If the shim lies in /tmp, anybody can create a link in place of the store beside it, so a
     * link's owner is checked too. */
    if (!store->above && !cua_lstat(store->path, &st) && S_ISLNK(st.st_mode) &&
        !is_owner(store, st.st_uid))
        return cua_store_refuse(store, "not used: it is a link that belongs to another user");
    return cua_store_look(store);
}

void cua_store_close(struct cua_store *store)
{
    if (store->lock >= 0)
        close(store->lock);
    if (store->fd >= 0)
        close(store->fd);
    store->fd = store->lock = -1;
}

int cua_store_open(const struct cua_store *store, const char *version)
{
    int dir = openat(store->fd, version, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    return dir < 0 ? -errno : dir;
}

/* Whether a link leads to a file in the same folder. Other users might be able to change a file in
 * another folder. */
static bool stays_inside(int dir, const char *name)
{
    char target[NAME_MAX + 1];
    ssize_t length = readlinkat(dir, name, target, sizeof target);

    return length > 0 && length < (ssize_t)sizeof target && !memchr(target, '/', (size_t)length);
}

/* For finding the first file that users other than root, this user and the store's owner can
 * change. */
struct foreign {
    const struct cua_store *store;
    int dir;
    char *wrong;
};

static int find_foreign(void *data, const char *name, unsigned char type)
{
    struct foreign *foreign = data;
    struct stat st = {.st_mode = 0};

    (void)type;
    if (!strcmp(name, "..") || (stat_at(foreign->dir, name, &st) &&
                                (S_ISLNK(st.st_mode) ? is_owner(foreign->store, st.st_uid) &&
                                                           stays_inside(foreign->dir, name)
                                                     : cua_store_is_own(foreign->store, &st))))
        return 0;
    if (strcmp(name, "."))
        snprintf(foreign->wrong, NAME_MAX + 1, "%.200s%s", name,
                 S_ISLNK(st.st_mode) && is_owner(foreign->store, st.st_uid)
                     ? ", a link out of its folder"
                     : "");
    return 1;
}

bool cua_store_others(const struct cua_store *store, int dir, char *wrong)
{
    struct foreign foreign = {store, dir, wrong};

    strcpy(wrong, "its folder");
    return cua_list(openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), find_foreign, &foreign) !=
           0;
}

bool cua_store_is_whole(const struct cua_store *store, int dir, const char *version)
{
    char mark[NAME_MAX + 1];

    return faccessat(dir, CUA_STORE_MANIFEST, F_OK, 0) == 0 ||
           (snprintf(mark, sizeof mark, "%s" CUA_STORE_MARK, version) < (int)sizeof mark &&
            faccessat(store->fd, mark, F_OK, 0) == 0);
}

bool cua_store_is_version(const char *name)
{
    struct cua_version version;
    size_t length = cua_version_parse(&version, name);

    return length && !name[length];
}

void cua_store_libcuda(const struct cua_store *store, const char *version, char *path)
{
    if (cua_join(path, PATH_MAX, store->path, version))
        cua_join(path, PATH_MAX, path, "libcuda.so.1");
}

struct each {
    void (*fn)(void *data, const char *version);
    void *data;
};

static int take_each(void *data, const char *name, unsigned char type)
{
    struct each *each = data;

    (void)type;
    if (cua_store_is_version(name))
        each->fn(each->data, name);
    return 0;
}

int cua_store_each(struct cua_store *store, void (*fn)(void *data, const char *version), void *data)
{
    struct each each = {fn, data};

    return store->fd < 0 ? 0
                         : cua_list(openat(store->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                                    take_each, &each);
}
