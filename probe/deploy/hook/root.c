/* SPDX-License-Identifier: Apache-2.0 */
/* root.h says what the shim, the preload file and the tmpfs on CUA_HOOK_FOLDER are. */
#include "deploy/hook/root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/listing.h"
#include "base/oldstat.h"
#include "base/whole.h"
#include "deploy/hook/kernel.h"
#include "cuarbiter/names.h"

#define MOST_PRELOAD ((size_t)64 << 10)
#define NOBODY       65534

static int leave(struct cua_root *root, const char *why, int error)
{
    root->why = why;
    return error;
}

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether a mount made on `fd` will appear only in this mount namespace. False if that cannot be
 * found out. */
static bool is_private(int fd)
{
    struct cua_mount mount;

    return cua_mount_of(fd, &mount) == 0 && !mount.shared;
}

/* Whether a process is in the same mount namespace as this one; true if either namespace cannot be
 * read. */
bool cua_root_is_beside(long pid)
{
    char path[48], own[64] = "", other[64] = "";

    snprintf(path, sizeof(path), "/proc/%ld/ns/mnt", pid);
    return readlink(path, other, sizeof(other) - 1) < 0 ||
           readlink("/proc/self/ns/mnt", own, sizeof(own) - 1) < 0 || strcmp(own, other) == 0;
}

/* Whether this process runs outside the container's mount namespace, which happens if the hook was
 * wrongly configured as createRuntime. True if
 * - its mount namespace is that of /proc/1;
 * - its mount namespace is not that of the container's process `pid`. This is checked only if `pid`
 *   is known (above 1) and /proc shows this process's own pid namespace (/proc/self leads to
 *   getpid()). Otherwise /proc/PID could be another process.
 * - its own entries in /proc cannot be read. */
static bool is_outside(long pid)
{
    char self[24] = "", own[64] = "", first[64] = "";

    if (readlink("/proc/self/ns/mnt", own, sizeof(own) - 1) < 0 ||
        readlink("/proc/self", self, sizeof(self) - 1) < 0)
        return true;
    if (readlink("/proc/1/ns/mnt", first, sizeof(first) - 1) > 0 && strcmp(own, first) == 0)
        return true;
    return pid > 1 && strtol(self, NULL, 10) == (long)getpid() && !cua_root_is_beside(pid);
}

int cua_root_check(struct cua_root *root, long pid)
{
    struct stat st, host;

    root->writable = root->folder = root->preload = -1;
    if (is_outside(pid))
        return leave(root, "the container has no mount namespace of its own", -EPERM);
    if (cua_fstat(root->top, &st) || cua_stat("/", &host))
        return leave(root, "root", -errno);
    if (same(&st, &host))
        return leave(root, "its root folder is the host's", -EPERM);
    if (!is_private(root->top))
        return leave(root, "the container's root is not a private mount", -EPERM);
    /* End here if the kernel has no openat2. The steps that follow take a file that openat2 cannot
     * open for a missing one. */
    int fd = cua_open_inside(root->top, ".", O_PATH | O_DIRECTORY, 0, CUA_INSIDE);
    if (fd == -ENOSYS)
        return leave(root, CUA_HOOK_KERNEL, fd);
    if (fd >= 0)
        close(fd);
    return 0;
}

/* Whether a file is in /proc or /sys, where reading a file may consume its content. True also if
 * that cannot be found out. */
static bool is_kernels(int fd)
{
    struct statfs fs;

    return fstatfs(fd, &fs) || fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC;
}

/* Looks for CUA_HOOK_MARK. It counts only on a tmpfs, because an image can contain a file of this
 * name, but no tmpfs. */
bool cua_root_served(int top)
{
    int fd =
        cua_open_inside(top, CUA_HOOK_FOLDER "/" CUA_HOOK_MARK, O_PATH | O_NOFOLLOW, 0, CUA_INSIDE);
    struct statfs fs;
    bool has = fd >= 0 && !fstatfs(fd, &fs) && fs.f_type == TMPFS_MAGIC;

    if (fd >= 0)
        close(fd);
    return has;
}

/* Reads the preload file. If another tool (HAMi, an observability agent) has mounted a file over
 * it, reads the mounted file. That file is not changed: the hook later mounts its own file over
 * it. */
int cua_root_read(struct cua_root *root)
{
    int fd = cua_open_inside(root->top, "etc", O_PATH | O_DIRECTORY, 0, CUA_INSIDE);
    struct cua_mount mount;
    struct stat st;

    if (fd < 0)
        return leave(root, "/etc", fd);
    root->preload = cua_open_inside(fd, "ld.so.preload", O_PATH | O_NOFOLLOW, 0, CUA_INSIDE);
    close(fd);
    root->mode = 0644;
    root->uid = geteuid();
    root->gid = getegid();
    if (root->preload == -ENOENT)
        return (root->text = calloc(1, 1)) ? 0 : leave(root, "memory", -ENOMEM);
    if (root->preload < 0)
        return leave(root, "/etc/ld.so.preload", root->preload);
    if (cua_fstat(root->preload, &st) || !S_ISREG(st.st_mode) ||
        (size_t)st.st_size > MOST_PRELOAD || is_kernels(root->preload))
        return leave(root, "/etc/ld.so.preload is not a small regular file", -EINVAL);
    root->mode = st.st_mode & 0777;
    root->sealed = cua_mount_of(root->preload, &mount) || mount.readonly;
    root->uid = st.st_uid;
    root->gid = st.st_gid;
    /* Do not read a file of size 0: it may be a file of the kernel that is_kernels does not
     * recognize, and reading might consume its content. */
    root->text = st.st_size ? cua_whole(cua_open_again(root->preload), MOST_PRELOAD, &root->length)
                            : calloc(1, 1);
    if (!root->text)
        return leave(root, "/etc/ld.so.preload", -errno);
    /* Refuse a text that ld.so would read differently with a line appended. ld.so reads as many
     * bytes as stat gives as the file's size, so the text must have that length. The text must also
     * have no NUL: after a NUL, ld.so ignores each line that ends with a newline, and the appended
     * line does. */
    if (root->length != (size_t)st.st_size || memchr(root->text, '\0', root->length))
        return leave(root, "/etc/ld.so.preload is not a text file", -EINVAL);
    if (memmem(root->text, root->length, "/" CUA_FILE_SHIM, strlen("/" CUA_FILE_SHIM))) {
        root->served = cua_root_served(root->top);
        return leave(root, "/etc/ld.so.preload names the shim already", -EEXIST);
    }
    return 0;
}

static int count(void *data, const char *name, unsigned char type)
{
    (void)data, (void)type;
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int parent(struct cua_root *root)
{
    int fd = cua_open_inside(root->top, "opt", O_PATH | O_DIRECTORY, 0, CUA_INSIDE | CUA_ONE_MOUNT);

    if (fd == -ENOENT && (!mkdirat(root->writable, "opt", 0755) || errno == EEXIST))
        fd = cua_open_inside(root->top, "opt", O_PATH | O_DIRECTORY, 0, CUA_INSIDE | CUA_ONE_MOUNT);
    return fd;
}

/* Whether every user can reach CUA_HOOK_FOLDER below the root folder `top`. For a user who cannot,
 * ld.so would print an error at each program's start. Opens the path as the user nobody. Also
 * checks the mode of the parent folder `above`, because this process keeps the engine's
 * supplementary groups, and one of them may be allowed to enter that folder. */
static bool is_for_all(int top, int above)
{
    struct stat st;
    gid_t group = (gid_t)setfsgid(NOBODY);
    uid_t user = (uid_t)setfsuid(NOBODY);
    int fd = cua_open_inside(top, CUA_HOOK_FOLDER, O_PATH | O_DIRECTORY, 0, CUA_INSIDE);

    setfsuid(user);
    setfsgid(group);
    if (fd >= 0)
        close(fd);
    return fd >= 0 && !cua_fstat(above, &st) && st.st_mode & S_IXOTH;
}

/* Opens root->folder, on which the tmpfs will be mounted; creates it if it is missing. Its parent,
 * /opt, may be a link, but the folder itself must be empty and must not be a link: a mount over
 * /proc or /etc would break the container. Returns 0; or -errno, with root->why. */
static int find_folder(struct cua_root *root)
{
    static const char name[] = "cuarbiter";
    const unsigned strict = CUA_INSIDE | CUA_ONE_MOUNT | CUA_NO_LINKS;
    int above = parent(root);

    if (above < 0)
        return leave(root, "/opt", above);
    int fd = cua_open_inside(above, name, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0, strict);
    if (fd == -ENOENT) {
        /* Create the folder through root->writable, because the mount of root->top may be
         * read-only. -EEXIST: another process has just created it. */
        int again = cua_open_inside(root->writable, "opt", O_PATH | O_DIRECTORY, 0,
                                    CUA_INSIDE | CUA_ONE_MOUNT);
        int rc = again < 0 ? again : mkdirat(again, name, 0755) ? -errno : 0;
        if (again >= 0)
            close(again);
        if (!rc || rc == -EEXIST)
            fd = cua_open_inside(above, name, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0, strict);
        else
            fd = rc;
    }
    bool for_all = is_for_all(root->top, above);
    close(above);
    root->folder = fd;
    if (fd < 0)
        return leave(root, "/" CUA_HOOK_FOLDER, fd);
    if (!for_all)
        return leave(root, "/" CUA_HOOK_FOLDER " cannot be read by all users", -EACCES);
    int inside = cua_open_inside(fd, ".", O_RDONLY | O_DIRECTORY, 0, 0);
    if (inside < 0 || cua_list(inside, count, NULL))
        return leave(root, "/" CUA_HOOK_FOLDER " is not empty", -EEXIST);
    return 0;
}

static int create_preload(struct cua_root *root)
{
    const unsigned strict = CUA_INSIDE | CUA_ONE_MOUNT;
    struct stat st;
    int etc = cua_open_inside(root->writable, "etc", O_PATH | O_DIRECTORY, 0, strict);
    int fd = etc < 0 ? etc
                     : cua_open_inside(etc, "ld.so.preload",
                                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644, strict);

    if (etc >= 0)
        close(etc);
    if (fd < 0 && fd != -EEXIST)
        return leave(root, "/etc/ld.so.preload cannot be created", fd);
    if (fd >= 0)
        close(fd);
    etc = cua_open_inside(root->top, "etc", O_PATH | O_DIRECTORY, 0, strict);
    root->preload =
        etc < 0 ? etc : cua_open_inside(etc, "ld.so.preload", O_PATH | O_NOFOLLOW, 0, strict);
    if (etc >= 0)
        close(etc);
    if (root->preload < 0 || cua_fstat(root->preload, &st) || !S_ISREG(st.st_mode) || st.st_size)
        return leave(root, "another program has just created /etc/ld.so.preload", -EEXIST);
    return 0;
}

int cua_root_places(struct cua_root *root)
{
    mode_t before = umask(0);

    root->writable = cua_mount_writable(root->top);
    int error = find_folder(root);
    if (!error && root->preload < 0)
        error = create_preload(root);
    umask(before);
    /* If a place to mount on is itself on a mount with shared propagation, the new mount would also
     * appear on the host. */
    if (!error && (!is_private(root->folder) || !is_private(root->preload)))
        error = leave(root,
                      "a mount at /" CUA_HOOK_FOLDER
                      " or /etc/ld.so.preload would also appear outside the container",
                      -EPERM);
    return error;
}

int cua_root_sees(struct cua_root *root, int mount)
{
    uint64_t wanted, found;
    int fd = cua_open_inside(root->top, CUA_HOOK_FOLDER "/" CUA_FILE_SHIM, O_PATH, 0, CUA_INSIDE);
    int error = fd < 0 ? fd : 0;

    if (!error && (cua_mount_id(fd, &found) || cua_mount_id(mount, &wanted) || found != wanted))
        error = -ESTALE;
    if (fd >= 0)
        close(fd);
    return error ? leave(root, "the container does not see what was mounted at /" CUA_HOOK_FOLDER,
                         error)
                 : 0;
}

void cua_root_release(struct cua_root *root)
{
    if (root->writable >= 0 && root->writable != root->top)
        close(root->writable);
    if (root->folder >= 0)
        close(root->folder);
    if (root->preload >= 0)
        close(root->preload);
    free(root->text);
}
