/* SPDX-License-Identifier: Apache-2.0 */
#include "command/cdi/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/oldstat.h"
#include "command/replace_file.h"
#include "command/verb.h"
#include "cuarbiter/names.h"

#define PRELOAD_LINE CUA_CDI_INSIDE "/" CUA_FILE_SHIM "\n"

const struct cua_cdi_mount cua_cdi_mounts[CUA_CDI_MOUNTS] = {
    {"", CUA_CDI_INSIDE, false},
    {"/" CUA_CDI_PRELOAD, "/etc/ld.so.preload", true},
    {"/" CUA_CDI_SITE, CUA_FILE_SITE, false},
};

/* The switch for a whole node. A container sees this very file, so it is edited in place: a new
 * file under the old name reaches new containers alone. */
static const char site_text[] =
    "# Read by every new process of the containers that have it mounted. Edit it in place.\n"
    "# disabled                    turns cuarbiter off\n"
    "# CUARBITER_POLICY=report     decides and logs, changes nothing\n";

static void put_escaped(FILE *out, const char *s)
{
    char escaped[6 * PATH_MAX];

    cua_escape(escaped, sizeof(escaped), s, CUA_ESCAPE_JSON);
    fputs(escaped, out);
}

void cua_cdi_string(FILE *out, const char *a, const char *b)
{
    fputc('"', out);
    put_escaped(out, a);
    put_escaped(out, b);
    fputc('"', out);
}

/* A file that is mounted has to lie on the host. `says`: it must hold `text` and nothing else. */
static int need_file(const char *folder, const char *name, const char *text, bool says)
{
    char path[PATH_MAX + 32];
    char held[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) {
        int error = cua_replace_file(path, text, strlen(text), 0644, NULL, false);
        if (error)
            cua_complain("cdi", "%s: %s; the specification mounts it", path, strerror(-error));
        return error;
    }
    ssize_t got = fd < 0 ? -1 : read(fd, held, sizeof(held) - 1);
    int error = got < 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    held[got < 0 ? 0 : got] = '\0';
    if (!error && says && strcmp(held, text)) {
        cua_complain("cdi", "%s: says something else; it must say %.*s", path,
                     (int)strcspn(text, "\n"), text);
        return -EEXIST;
    }
    if (error)
        cua_complain("cdi", "%s: %s", path, strerror(-error));
    return error;
}

/* A container's user is nobody's friend: what `others` may not read ends in ld.so's complaint. */
static void warn_unreadable(const char *folder)
{
    static const char *const files[] = {"", "/" CUA_FILE_SHIM, "/" CUA_FILE_ENGINE,
                                        "/" CUA_FILE_COMMAND, "/" CUA_CDI_PRELOAD};
    char path[PATH_MAX + 32];
    struct stat st;

    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        snprintf(path, sizeof(path), "%s%s", folder, files[i]);
        if (cua_stat(path, &st) != 0)
            continue;
        mode_t wanted = S_ISDIR(st.st_mode) ? S_IROTH | S_IXOTH : S_IROTH;
        if ((st.st_mode & wanted) != wanted) {
            cua_complain("cdi", "warning: %s: users of containers cannot read it; chmod -R a+rX %s",
                         path, folder);
            return;
        }
    }
}

int cua_cdi_prepare(const char *folder, bool env)
{
    static const char *const files[] = {CUA_FILE_SHIM, CUA_FILE_ENGINE, CUA_FILE_COMMAND};
    char path[PATH_MAX + 32];

    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
        if (access(path, R_OK)) {
            cua_complain("cdi", "%s: %s", path, strerror(errno));
            return -ENOENT;
        }
    }
    int error = need_file(folder, CUA_CDI_SITE, site_text, false);
    /* ENV LD_PRELOAD of an image would be replaced by a variable in the spec; the loader's own
     * file leaves it alone. */
    if (!error && !env)
        error = need_file(folder, CUA_CDI_PRELOAD, PRELOAD_LINE, true);
    if (!error)
        warn_unreadable(folder);
    return error;
}
