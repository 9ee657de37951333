/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/hook/share.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/whole.h"
#include "cuarbiter/names.h"
#include "deploy/hook/kernel.h"

#define SITE      "site"
#define CONF      "cuarbiter.conf"
#define MOST_SITE ((size_t)64 << 10)
#define REPORTS   "reports"

static int put(int folder, const char *name, const char *text, size_t size)
{
    int fd = cua_open_inside(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0644, CUA_NO_LINKS);
    bool whole = fd >= 0 && write(fd, text, size) == (ssize_t)size;

    if (fd >= 0)
        close(fd);
    return whole ? 0 : -1;
}

/* Copies the site file (share.h) from the node's folder `from` to a new folder in the tmpfs `to`,
 * for a container that gets no mount. The container does not see later changes of the original. */
static void copy_site(int to, int from)
{
    size_t size = 0;
    int fd = openat(from, CONF, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *text = fd < 0 ? NULL : cua_whole(fd, MOST_SITE, &size);

    if (text && !mkdirat(to, SITE, 0755))
        put(to, SITE "/" CONF, text, size);
    free(text);
}

static void take(struct cua_hook_share *share, int to, const char *name, int from)
{
    share->mount = cua_mount_clone(from, "", false);
    if (share->mount >= 0 && !mkdirat(to, name, 0755))
        share->place = openat(to, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* A container that is `mighty` (share.h) could reach the host's file system through the mount, or
 * make the mount writable, so it gets a copy. */
void cua_hook_share_site(struct cua_hook_share *share, int folder, int home, bool mighty)
{
    int from = openat(home, SITE, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (from < 0)
        from = open(CUA_DIR_SITE, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (from < 0)
        return;
    if (mighty)
        copy_site(folder, from);
    else
        take(share, folder, SITE, from);
    close(from);
}

/* Whether the folder contains the socket CUA_FILE_REPORTS, and only root and this process's user
 * can create files in the folder, so that nobody else can have made the socket. */
static bool has_socket(int folder)
{
    int fd = openat(folder, CUA_FILE_REPORTS, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat st, above;
    bool found = fd >= 0 && !cua_fstat(fd, &st) && S_ISSOCK(st.st_mode) &&
                 !cua_fstat(folder, &above) && !(above.st_mode & 022) &&
                 (above.st_uid == 0 || above.st_uid == geteuid());

    if (fd >= 0)
        close(fd);
    return found;
}

void cua_hook_share_reports(struct cua_hook_share *share, int folder, bool mighty)
{
    int from = mighty ? -1 : open(CUA_DIR_REPORTS, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (from >= 0 && has_socket(from))
        take(share, folder, REPORTS, from);
    if (from >= 0)
        close(from);
}

void cua_hook_share_mount(const struct cua_hook_share *share)
{
    if (share->place >= 0)
        cua_mount_move(share->mount, share->place);
}

void cua_hook_share_release(struct cua_hook_share *share)
{
    if (share->place >= 0)
        close(share->place);
    if (share->mount >= 0)
        close(share->mount);
    share->place = share->mount = -1;
}
