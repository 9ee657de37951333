/* SPDX-License-Identifier: Apache-2.0 */
#include "store/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/listing.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "base/whole.h"
#include "drivers/runs.h"

#define REMOVED "removed-"
#define GONE    ".gone-"

/* Takes the store beside the command if access() says that the user can write there, as it mostly
 * does for root. If that store does not exist yet, access() tests the nearest existing folder above
 * it. The second choice, the user's own store, is taken without a test. */
bool cua_store_own(struct cua_store *store, const struct cua_settings *settings)
{
    char above[PATH_MAX];

    if (cua_store_place(store, settings, "", 0)) {
        cua_copy(above, sizeof above, store->path);
        while (access(above, F_OK) && strrchr(above, '/') > above)
            *strrchr(above, '/') = '\0';
        if (access(above, W_OK) == 0)
            return true;
    }
    return cua_store_place(store, settings, "", 2) ||
           cua_store_refuse(store, "you cannot write to cuarbiter's own folder for drivers, and "
                                   "HOME is not set: set HOME, or pass a folder with --store");
}

static bool make_folders(struct cua_store *store)
{
    char path[PATH_MAX];

    cua_copy(path, sizeof path, store->path);
    for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        if (mkdir(path, 0755) && errno != EEXIST)
            return cua_store_refuse(store, "%s: %s", path, strerror(errno));
        *slash = '/';
    }
    return mkdir(path, 0755) == 0 || errno == EEXIST ||
           cua_store_refuse(store, "%s", strerror(errno));
}

/* For emptying a folder. Only files and links are removed. If it contains another folder, both
 * folders stay. */
struct emptied {
    int dir;
    bool failed;
};

static int empty_name(void *data, const char *name, unsigned char type)
{
    struct emptied *emptied = data;

    (void)type;
    if (strcmp(name, ".") && strcmp(name, "..") && unlinkat(emptied->dir, name, 0))
        emptied->failed = true;
    return 0;
}

static bool delete_folder(int store, const char *name)
{
    struct emptied emptied = {openat(store, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                              false};

    if (emptied.dir < 0)
        return errno == ENOENT;
    /* Several passes: a listing may skip names while others are removed. */
    for (int i = 0; i < 3; i++) {
        emptied.failed = false;
        cua_list(openat(emptied.dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), empty_name,
                 &emptied);
    }
    close(emptied.dir);
    return unlinkat(store, name, AT_REMOVEDIR) == 0;
}

/* Writes the name that the manifest of a removed driver gets on this machine:
 * removed-NODE-BOOT.json, with the machine's name and boot ID. `node` receives the beginning of
 * this name, removed-NODE-. The driver's files are deleted when the machine NODE has another boot
 * ID. False if the name does not fit into `out`. */
static bool mark_of(char *out, size_t size, char *node, size_t node_size)
{
    struct utsname names;
    char boot[64] = "";
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, boot, sizeof boot - 1) : -1;

    if (fd >= 0)
        close(fd);
    boot[n > 0 ? strcspn(boot, "\n") : 0] = '\0';
    if (uname(&names))
        strcpy(names.nodename, "localhost");
    for (char *c = names.nodename; *c; c++)
        *c = *c == '/' || *c == '-' ? '_' : *c;
    snprintf(node, node_size, REMOVED "%s-", names.nodename);
    return snprintf(out, size, "%s%s.json", node, boot) < (int)size;
}

struct found_mark {
    char name[CUA_MEMBER_NAME];
};

static int find_mark(void *data, const char *name, unsigned char type)
{
    struct found_mark *found = data;

    (void)type;
    return cua_starts(name, REMOVED) && cua_ends(name, ".json") &&
           cua_copy(found->name, sizeof found->name, name);
}

static bool removed_mark(int dir, char *name)
{
    struct found_mark found = {""};
    bool there =
        cua_list(openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), find_mark, &found) > 0;

    cua_copy(name, CUA_MEMBER_NAME, found.name);
    return there;
}

/* Called for each name in the store. Deletes it if a killed command has left it, or if it is a
 * driver that this machine marked as removed (mark_of) before its last boot. A driver that another
 * machine removed stays. */
static int clean_name(void *data, const char *name, unsigned char type)
{
    struct cua_store *store = data;
    char mark[CUA_MEMBER_NAME], mine[CUA_MEMBER_NAME], node[128];

    (void)type;
    if (!strcmp(name, CUA_STORE_NEW_RUNS)) {
        (void)unlinkat(store->fd, name, 0);
    } else if (!strcmp(name, CUA_STORE_NEW) || cua_starts(name, GONE)) {
        delete_folder(store->fd, name);
    } else if (cua_store_is_version(name)) {
        int dir = cua_store_open(store, name);
        if (dir >= 0 && faccessat(dir, CUA_STORE_MANIFEST, F_OK, AT_SYMLINK_NOFOLLOW) &&
            removed_mark(dir, mark) && mark_of(mine, sizeof mine, node, sizeof node) &&
            cua_starts(mark, node) && strcmp(mark, mine))
            cua_store_remove(store, name, true);
        if (dir >= 0)
            close(dir);
    }
    return 0;
}

bool cua_store_lock(struct cua_store *store)
{
    struct stat st;

    if (!cua_store_look(store))
        return false;
    if (store->fd < 0 && (!make_folders(store) || !cua_store_look(store)))
        return false;
    if (store->fd < 0)
        return cua_store_refuse(store, "it cannot be created");
    /* Refuse another user's store: its owner could replace what this user puts into it. */
    if (cua_fstat(store->fd, &st) || (st.st_uid != geteuid() && st.st_uid != 0))
        return cua_store_refuse(store, "it belongs to another user: run this as that user, or pass "
                                       "another folder with --store");
    /* Mode 0600: otherwise other users could hold the lock for ever. */
    store->lock = openat(store->fd, ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (store->lock < 0)
        return cua_store_refuse(store, "%s", strerror(errno));
    while (flock(store->lock, LOCK_EX))
        if (errno != EINTR)
            return cua_store_refuse(store, "it cannot be locked: %s", strerror(errno));
    cua_list(openat(store->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), clean_name, store);
    return true;
}

int cua_store_read(struct cua_store *store, const char *version, struct cua_manifest *manifest,
                   char *wrong)
{
    int dir = store->fd < 0 ? -ENOENT : cua_store_open(store, version), state;
    char mark[CUA_MEMBER_NAME];

    wrong[0] = '\0';
    memset(manifest, 0, sizeof *manifest);
    if (dir < 0)
        return dir;
    if (cua_store_others(store, dir, wrong))
        state = CUA_BROUGHT_OTHERS;
    else if (!cua_manifest_read(manifest, dir, CUA_STORE_MANIFEST))
        state = CUA_BROUGHT_WHOLE;
    else if (removed_mark(dir, mark) && !cua_manifest_read(manifest, dir, mark))
        state = CUA_BROUGHT_REMOVED;
    else
        state = CUA_BROUGHT_HALF;
    close(dir);
    return state;
}

bool cua_store_remove(struct cua_store *store, const char *version, bool now)
{
    char mark[CUA_MEMBER_NAME], node[128], gone[64];
    int dir = cua_store_open(store, version);

    if (dir < 0)
        return dir == -ENOENT ? cua_store_refuse(store, "%s does not have it", store->path)
                              : cua_store_refuse(store, "%s", strerror(-dir));
    if (!now) {
        bool marked = mark_of(mark, sizeof mark, node, sizeof node), done = false;
        int error = ENAMETOOLONG;
        if (marked) {
            done = renameat(dir, CUA_STORE_MANIFEST, dir, mark) == 0;
            error = errno;
            done = done || removed_mark(dir, mark);
        }
        (void)fsync(dir);
        close(dir);
        return done || cua_store_refuse(store, "%s", strerror(error));
    }
    close(dir);
    /* The results of `driver try` go too: if this version is added again later, its files may
     * differ. */
    snprintf(gone, sizeof gone, "%s" CUA_STORE_RUNS, version);
    (void)unlinkat(store->fd, gone, 0);
    snprintf(gone, sizeof gone, GONE "%s", version);
    delete_folder(store->fd, gone);
    if (renameat(store->fd, version, store->fd, gone))
        return cua_store_refuse(store, "%s", strerror(errno));
    return delete_folder(store->fd, gone) || cua_store_refuse(store, "%s", strerror(errno));
}

bool cua_store_restore(struct cua_store *store, const char *version)
{
    char mark[CUA_MEMBER_NAME];
    int dir = cua_store_open(store, version), error = dir < 0 ? errno : 0;

    if (dir >= 0 && !removed_mark(dir, mark))
        error = ENOENT;
    else if (dir >= 0 && (renameat(dir, mark, dir, CUA_STORE_MANIFEST) || fsync(dir)))
        error = errno;
    if (dir >= 0)
        close(dir);
    return !error || cua_store_refuse(store, "%s: %s", version, strerror(error));
}

int cua_store_stage(struct cua_store *store)
{
    int dir = -1;

    if (!delete_folder(store->fd, CUA_STORE_NEW) || mkdirat(store->fd, CUA_STORE_NEW, 0700) ||
        (dir = openat(store->fd, CUA_STORE_NEW, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) <
            0)
        cua_store_refuse(store, "%s", strerror(errno));
    return dir;
}

bool cua_store_publish(struct cua_store *store, int stage, const char *version)
{
    if (fchmod(stage, 0755) || fsync(stage) ||
        renameat(store->fd, CUA_STORE_NEW, store->fd, version) || fsync(store->fd))
        return cua_store_refuse(store, "%s", strerror(errno));
    return true;
}

void cua_store_drop(struct cua_store *store)
{
    delete_folder(store->fd, CUA_STORE_NEW);
}
