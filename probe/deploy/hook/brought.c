/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/hook/brought.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/version.h"
#include "base/whole.h"
#include "deploy/hook/kernel.h"
#include "drivers/runs.h"
#include "drivers/store.h"

struct taking {
    struct cua_hook_drivers *drivers;
    struct cua_store *store;
    int folder;             /* descriptor of the tmpfs */
    struct cua_version kmd; /* the node's kernel driver, if its version is known */
    bool mighty;
};

bool cua_hook_is_newer(const char *version, const struct cua_version *kmd)
{
    struct cua_version brought;

    return !cua_version_known(kmd) || !cua_version_parse(&brought, version) ||
           cua_version_compare(&brought, kmd) > 0;
}

static void read_kmd(struct cua_version *kmd)
{
    size_t size = 0;
    char *text = cua_whole_file("/sys/module/nvidia/version", 256, &size);

    memset(kmd, 0, sizeof(*kmd));
    if (text)
        cua_version_parse(kmd, text);
    free(text);
}

static void leave_out(struct cua_hook_drivers *drivers, const char *why, int error)
{
    snprintf(drivers->text, sizeof(drivers->text), "none: %.400s%s%s", why, error ? ": " : "",
             error ? strerror(-error) : "");
}

/* Makes the mount point of a driver, and beside it an empty file, VERSION.whole. This file is the
 * sign that the driver was complete when the container started. The manifest in the driver's folder
 * cannot be this sign: a later `cuarbiter driver remove` on the node renames the manifest, and the
 * running container sees that through the mount. Returns a descriptor of the mount point, or -1. */
static int make_place(int folder, const char *version)
{
    char path[NAME_MAX + 1];
    int fd;

    if ((mkdirat(folder, CUA_STORE_NAME, 0755) && errno != EEXIST) ||
        snprintf(path, sizeof(path), CUA_STORE_NAME "/%s" CUA_STORE_MARK, version) >=
            (int)sizeof(path))
        return -1;
    fd = openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return -1;
    close(fd);
    path[strlen(path) - strlen(CUA_STORE_MARK)] = '\0';
    return mkdirat(folder, path, 0755)
               ? -1
               : openat(folder, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Copies the results of `cuarbiter driver try` for a driver to a file beside its mount point. In
 * the container, a driver without this file counts as not tried. */
static void copy_runs(int folder, const struct cua_store *store, const char *version)
{
    char path[NAME_MAX + 1];
    size_t size;
    char *text = cua_whole(cua_runs_open(store, version), CUA_RUNS_BYTES, &size);

    if (text && snprintf(path, sizeof(path), CUA_STORE_NAME "/%s" CUA_STORE_RUNS, version) <
                    (int)sizeof(path)) {
        int fd = openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (fd >= 0 && write(fd, text, size) != (ssize_t)size)
            unlinkat(folder, path, 0);
        if (fd >= 0)
            close(fd);
    }
    free(text);
}

static void take(void *data, const char *version)
{
    struct taking *taking = data;
    struct cua_hook_drivers *drivers = taking->drivers;
    char wrong[NAME_MAX + 1];
    int dir = cua_store_open(taking->store, version);

    if (dir < 0)
        return;
    bool usable = cua_store_is_whole(taking->store, dir, version) &&
                  !cua_store_others(taking->store, dir, wrong);
    if (usable && !cua_hook_is_newer(version, &taking->kmd)) {
        if (!drivers->text[0])
            leave_out(drivers, "the node's own is as new or newer", 0);
    } else if (usable && taking->mighty) {
        leave_out(drivers, "by a Linux capability the container could open the node's files", 0);
    } else if (usable && drivers->count < CUA_HOOK_DRIVERS) {
        int mount = cua_mount_clone(dir, "", true);
        int place = mount < 0 ? -1 : make_place(taking->folder, version);
        if (place >= 0) {
            copy_runs(taking->folder, taking->store, version);
            drivers->place[drivers->count] = place;
            drivers->mount[drivers->count] = mount;
            cua_copy(drivers->version[drivers->count++], CUA_VERSION_TEXT, version);
        } else if (mount >= 0) {
            close(mount);
        } else if (!drivers->count) {
            leave_out(drivers, "the mount of a driver failed", mount);
        }
    }
    close(dir);
}

/* Sets store->owner to root, so that the store must belong to root or to this process's user: the
 * hook may run for every user of the node. cua_store_place may have set it to the owner of the
 * shim, cuarbiter's preloaded library. */
bool cua_hook_store(struct cua_store *store, const char *home)
{
    const struct cua_settings settings = {.home = home};

    if (cua_store_place(store, &settings, "", 0)) {
        store->owner = 0;
        if (!cua_store_look(store) || store->fd >= 0)
            return store->fd >= 0 && !store->why[0];
    }
    if (!cua_copy(store->path, sizeof(store->path), CUA_STORE_PACKAGES))
        return false;
    return cua_store_look(store) && store->fd >= 0;
}

void cua_hook_drivers_take(struct cua_hook_drivers *drivers, int folder, const char *home,
                           bool mighty)
{
    struct cua_store *store = malloc(sizeof(*store));
    struct taking taking = {.drivers = drivers, .store = store, .folder = folder, .mighty = mighty};

    drivers->count = 0;
    drivers->text[0] = '\0';
    if (!store)
        return;
    read_kmd(&taking.kmd);
    if (cua_hook_store(store, home))
        cua_store_each(store, take, &taking);
    else if (store->why[0])
        leave_out(drivers, store->why, 0);
    cua_store_close(store);
    free(store);
}

void cua_hook_drivers_mount(struct cua_hook_drivers *drivers)
{
    size_t at = 0;
    int failed = 0;

    for (unsigned i = 0; i < drivers->count; i++) {
        int error = cua_mount_move(drivers->mount[i], drivers->place[i]);
        if (error)
            failed = error;
        else if (at < sizeof(drivers->text))
            at += (size_t)snprintf(drivers->text + at, sizeof(drivers->text) - at, "%s%s",
                                   at ? " " : "", drivers->version[i]);
    }
    if (failed && !at)
        leave_out(drivers, "the mount of a driver failed", failed);
}

void cua_hook_drivers_release(struct cua_hook_drivers *drivers)
{
    for (unsigned i = 0; i < drivers->count; i++) {
        close(drivers->place[i]);
        close(drivers->mount[i]);
    }
    drivers->count = 0;
}
