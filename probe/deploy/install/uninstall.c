/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/install/uninstall.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "base/whole.h"
#include "deploy/install/rootfs.h"
#include "cli/replace_file.h"
#include "deploy/install/target.h"
#include "cli/verb.h"

static int complain(const char *path, int error)
{
    cua_complain("uninstall", "%s: %s", path, strerror(-error));
    return error;
}

/* Removes cuarbiter's entries from ld.so.preload, and deletes the file if nothing else is in it.
 * With `dry_run` changes nothing. Returns 1 if there is an entry, 0 if not, or -errno. */
static int remove_entry(bool dry_run)
{
    size_t size;
    char *present = cua_whole_file(CUA_PRELOAD_FILE, CUA_WHOLE_MOST, &size);
    if (!present)
        return errno == ENOENT ? 0 : complain(CUA_PRELOAD_FILE, -errno);
    char *edited = cua_preload_edit(present, NULL);
    int result = edited && strcmp(edited, present) != 0;
    int error = edited ? 0 : -ENOMEM;
    if (result == 1 && !dry_run) {
        if (*edited)
            error = cua_replace_file(CUA_PRELOAD_FILE, edited, strlen(edited), 0644, NULL, true);
        else if (unlink(CUA_PRELOAD_FILE))
            error = -errno;
    }
    free(edited);
    free(present);
    return error ? complain(CUA_PRELOAD_FILE, error) : result;
}

/* Removes the link CUA_INSTALL_LINK, each folder in CUA_INSTALL_DIR that contains cuarbiter's
 * library or is left over from an install that was ended, and then CUA_INSTALL_DIR itself if it is
 * empty. Other files in it stay. With `dry_run` only prints the folders. Sets *found if there was
 * such a folder or, without `dry_run`, the link. Returns 0 or -errno. */
static int remove_versions(bool dry_run, bool *found)
{
    int result = 0;
    DIR *folder = opendir(CUA_INSTALL_DIR);
    if (!folder)
        return errno == ENOENT ? 0 : complain(CUA_INSTALL_DIR, -errno);
    if (!dry_run && !unlink(CUA_INSTALL_LINK))
        *found = true;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[PATH_MAX], shim[PATH_MAX + 32];
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
            !strcmp(entry->d_name, strrchr(CUA_INSTALL_LINK, '/') + 1))
            continue;
        snprintf(path, sizeof(path), CUA_INSTALL_DIR "/%s", entry->d_name);
        snprintf(shim, sizeof(shim), "%s/" CUA_FILE_SHIM, path);
        if (access(shim, F_OK) && strcmp(entry->d_name, CUA_INSTALL_NEW))
            continue;
        *found = true;
        if (dry_run) {
            printf("would remove %s\n", cua_shown(path));
            continue;
        }
        int error = cua_remove_version(path);
        if (error)
            result = complain(path, error);
    }
    closedir(folder);
    if (!dry_run && rmdir(CUA_INSTALL_DIR) && !result) {
        if (errno != ENOTEMPTY && errno != EEXIST)
            return complain(CUA_INSTALL_DIR, -errno);
        puts(CUA_INSTALL_DIR " stays: other files are in it");
    }
    return result;
}

static int inside(void *data)
{
    const struct cua_install_options *options = data;
    int lock = cua_rootfs_lock("uninstall");
    if (lock < 0)
        return 1;
    /* Remove the entry in ld.so.preload before the files, so that it never names a file that does
     * not exist. */
    int entry = remove_entry(options->dry_run);
    if (entry < 0)
        return 1;
    if (options->dry_run && entry)
        puts("would take the entry out of " CUA_PRELOAD_FILE);
    bool found = entry;
    int error = remove_versions(options->dry_run, &found);
    if (!error && !options->dry_run)
        puts(found ? "removed" : "nothing is installed");
    return error ? 1 : 0;
}

static int run(int argc, char **argv)
{
    struct cua_install_options options;
    int result = cua_install_options(&cua_verb_uninstall, argc, argv, &options);
    return result >= 0 ? result : cua_rootfs_run("uninstall", options.root, inside, &options);
}

const struct cua_verb cua_verb_uninstall = {
    .name = "uninstall",
    .run = run,
};
