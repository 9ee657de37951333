/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/hook/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/whole.h"

enum {
    NR_OPEN_TREE = 428,
    NR_MOVE_MOUNT = 429,
    NR_FSOPEN = 430,
    NR_FSCONFIG = 431,
    NR_FSMOUNT = 432,
    NR_OPENAT2 = 437,
    NR_MOUNT_SETATTR = 442,
    NR_STATMOUNT = 457,
};

/* This is struct mount_attr of linux/mount.h, which headers before Linux 5.12 lack. */
struct attributes {
    uint64_t set, clear, propagation, user_namespace;
};
#define PRIVATE (1u << 18) /* the value of MS_PRIVATE */
#define SHARED  (1u << 20) /* the value of MS_SHARED */

#define STATX_UNIQUE 0x4000u /* the value of STATX_MNT_ID_UNIQUE */

#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif

#define ATTEMPTS  20 /* of openat2: a concurrent rename or mount makes it fail with EAGAIN */
#define MOST_INFO ((size_t)8 << 20)

static int result(long rc)
{
    return rc < 0 ? -errno : (int)rc;
}

int cua_open_inside(int folder, const char *path, int flags, unsigned mode, unsigned resolve)
{
    struct {
        uint64_t flags, mode, resolve;
    } how = {(uint64_t)(flags | O_CLOEXEC), mode, resolve};
    int fd = -EAGAIN;

    for (int i = 0; i < ATTEMPTS && fd == -EAGAIN; i++)
        fd = result(syscall(NR_OPENAT2, folder, path, &how, sizeof(how)));
    return fd;
}

int cua_open_again(int fd)
{
    char path[40];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return result(open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

static int set(int mount, const struct attributes *attributes)
{
    return result(
        syscall(NR_MOUNT_SETATTR, mount, "", AT_EMPTY_PATH, attributes, sizeof(*attributes)));
}

int cua_mount_seal(int mount)
{
    const struct attributes sealed = {
        .set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, .propagation = PRIVATE};

    return set(mount, &sealed);
}

int cua_mount_unseal(int mount)
{
    const struct attributes writable = {.clear = MOUNT_ATTR_RDONLY};

    return set(mount, &writable);
}

int cua_mount_clone(int folder, const char *path, bool executable)
{
    const struct attributes no_exec = {.set = MOUNT_ATTR_NOEXEC};
    int mount = result(
        syscall(NR_OPEN_TREE, folder, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH));
    int error = mount < 0 ? mount : cua_mount_seal(mount);

    if (!error && !executable)
        error = set(mount, &no_exec);
    if (mount >= 0 && error)
        close(mount);
    return error ? error : mount;
}

int cua_mount_apart(void)
{
    const struct attributes apart = {.propagation = PRIVATE};

    return result(syscall(NR_MOUNT_SETATTR, AT_FDCWD, "/", AT_RECURSIVE, &apart, sizeof(apart)));
}

static int configure(int fs, const char *key, const char *value)
{
    return result(syscall(NR_FSCONFIG, fs, FSCONFIG_SET_STRING, key, value, 0));
}

int cua_mount_tmpfs(const char *label)
{
    int mount = -1, fs = result(syscall(NR_FSOPEN, "tmpfs", FSOPEN_CLOEXEC));
    int error = fs < 0 ? fs : configure(fs, "size", "8m");

    if (!error)
        error = configure(fs, "mode", "755");
    if (!error && label[0])
        error = configure(fs, "context", label);
    if (!error)
        error = result(syscall(NR_FSCONFIG, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0));
    if (!error)
        mount =
            result(syscall(NR_FSMOUNT, fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
    if (fs >= 0)
        close(fs);
    return error ? error : mount;
}

int cua_mount_move(int mount, int place)
{
    return result(syscall(NR_MOVE_MOUNT, mount, "", place, "",
                          MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH));
}

/* Gets a mount's properties from statmount(2), Linux 6.8; false on failure. Preferred to find(),
 * because reading the list of all mounts takes seconds if thousands are mounted on one place. */
static bool ask(uint64_t id, struct cua_mount *mount)
{
    const struct {
        uint32_t size, spare;
        uint64_t id, wanted;
    } request = {sizeof(request), 0, id, 3}; /* STATMOUNT_SB_BASIC | STATMOUNT_MNT_BASIC */
    struct {
        uint32_t size, text;
        uint64_t mask;
        uint32_t major, minor;
        uint64_t magic;
        uint32_t flags, type;
        uint64_t id, parent;
        uint32_t old_id, old_parent;
        uint64_t attributes, propagation, rest[53];
    } answer = {.size = 0};

    if (syscall(NR_STATMOUNT, &request, &answer, sizeof(answer), 0) ||
        (answer.mask & request.wanted) != request.wanted)
        return false;
    mount->id = answer.id;
    mount->parent = answer.parent;
    mount->device = (uint64_t)answer.major << 32 | answer.minor;
    mount->readonly = answer.attributes & MOUNT_ATTR_RDONLY;
    mount->shared = answer.propagation & SHARED;
    return true;
}

/* Gets a mount's properties from its line in /proc/self/mountinfo; false if it has none. The line
 * is: ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [shared:N ...] - ... */
static bool find(uint64_t id, struct cua_mount *mount)
{
    char *list = cua_whole_file("/proc/self/mountinfo", MOST_INFO, NULL), options[128];
    const char *text = list ? list : "", *dash = NULL, *shared;
    unsigned major, minor;
    int end = 0;

    while (*text && strtoull(text, NULL, 10) != id)
        text += strcspn(text, "\n") + (strchr(text, '\n') != NULL);
    if (sscanf(text, "%" SCNu64 " %" SCNu64 " %u:%u %*s %*s %127s%n", &mount->id, &mount->parent,
               &major, &minor, options, &end) == 5) {
        mount->device = (uint64_t)major << 32 | minor;
        dash = strstr(text + end, " - ");
        shared = strstr(text + end, " shared:");
        mount->readonly = strcmp(options, "ro") == 0 || strncmp(options, "ro,", 3) == 0;
        mount->shared = dash && shared && shared < dash;
    }
    free(list);
    return dash;
}

static bool has_statmount(void)
{
    struct cua_mount none;

    return !ask(0, &none) && errno != ENOSYS;
}

/* Gives the ID by which look() finds the mount. If the kernel has statmount, that is the ID that
 * statmount expects, which the kernel never reuses. Otherwise it is the ID in /proc/self/fdinfo,
 * which /proc/self/mountinfo has too. */
int cua_mount_id(int fd, uint64_t *id)
{
    uint64_t answer[32] = {0}; /* a struct statx: stx_mask begins it, stx_mnt_id is [18] */
    char path[48], *text, *at;

    if (has_statmount() && !syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_UNIQUE, answer) &&
        (uint32_t)answer[0] & STATX_UNIQUE) {
        *id = answer[18];
        return 0;
    }
    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
    text = cua_whole_file(path, MOST_INFO, NULL);
    at = text ? strstr(text, "mnt_id:") : NULL;
    if (at)
        *id = strtoull(at + strlen("mnt_id:"), NULL, 10);
    free(text);
    return at ? 0 : -ENOENT;
}

static bool look(uint64_t id, struct cua_mount *mount)
{
    return has_statmount() ? ask(id, mount) : find(id, mount);
}

int cua_mount_of(int fd, struct cua_mount *mount)
{
    uint64_t id;
    int error = cua_mount_id(fd, &id);

    return error ? error : look(id, mount) ? 0 : -ENOENT;
}

/* crun makes the root read-only before the hook runs, by a second mount on top of a writable one of
 * the same file system. In this case, makes a writable clone of the second mount. If the mount
 * below is read-only too, or of another file system, another program made the root read-only, and
 * the root stays read-only. */
int cua_mount_writable(int folder)
{
    const struct attributes writable = {.clear = MOUNT_ATTR_RDONLY, .propagation = PRIVATE};
    struct cua_mount top, below;

    if (cua_mount_of(folder, &top) || !top.readonly || !look(top.parent, &below) ||
        below.readonly || top.device != below.device)
        return folder;
    int clone = result(
        syscall(NR_OPEN_TREE, folder, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH));
    if (clone < 0)
        return folder;
    if (!set(clone, &writable))
        return clone;
    close(clone);
    return folder;
}
