/* SPDX-License-Identifier: Apache-2.0 */
/* rootfs.h says what the shim, the answerer and CUA_INSTALL_DIR are. The target is the root file
 * system into which they are installed. */
#include "deploy/install/install.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "base/text.h"
#include "base/whole.h"
#include "deploy/install/rootfs.h"
#include "cli/replace_file.h"
#include "deploy/install/target.h"
#include "cli/verb.h"
#include "cli/home.h"
#include "deploy/install/stub32.h"

#define STAGE_DIR CUA_INSTALL_DIR "/" CUA_INSTALL_NEW
/* Limit for the number of different builds of one version that are installed side by side. */
#define MOST_BUILDS 64

struct install {
    struct cua_install_options options;
    char *bytes[CUA_FILE_COUNT]; /* contents of the files that cua_files names */
    size_t size[CUA_FILE_COUNT];
    char version[64]; /* name of this build's folder in CUA_INSTALL_DIR */
};

static int complain(const char *path, int error)
{
    cua_complain("install", "%s: %s", path, strerror(-error));
    return error;
}

static void join(char *out, const char *folder, const char *name)
{
    cua_join(out, PATH_MAX, folder, name);
}

/* Returns the text that /etc/ld.so.preload is to have; `present` receives the text that it has, ""
 * if it is missing. Both are to be freed. NULL, with errno set, on failure. `both_kinds`: the root
 * file system also has a 32-bit loader, so the entry for the shim contains $LIB. */
static char *edited_preload(const struct install *install, bool both_kinds, char **present)
{
    char entry[PATH_MAX];
    size_t size;
    char *text = cua_whole_file(CUA_PRELOAD_FILE, CUA_WHOLE_MOST, &size);
    if (!text && errno == ENOENT)
        text = calloc(1, 1);
    char *edited = NULL;
    snprintf(entry, sizeof(entry), CUA_INSTALL_DIR "/%s/%s" CUA_FILE_SHIM, install->version,
             both_kinds ? "$LIB/" : "");
    if (text)
        edited = cua_preload_edit(text, entry);
    if (edited)
        *present = text;
    else
        free(text);
    return edited;
}

static bool same_files(const struct install *install, const char *folder)
{
    for (size_t i = 0; i < CUA_FILE_COUNT; i++) {
        char path[PATH_MAX];
        size_t size;
        join(path, folder, cua_files[i]);
        char *bytes = cua_whole_file(path, CUA_WHOLE_MOST, &size);
        bool same = bytes && size == install->size[i] && !memcmp(bytes, install->bytes[i], size);
        free(bytes);
        if (!same)
            return false;
    }
    return true;
}

/* Finds the folder for this build in CUA_INSTALL_DIR, and sets install->version to its name. *there
 * receives whether the folder exists and contains this build's files. Each build gets its own
 * folder, because running programs may still use the files of another build. False if MOST_BUILDS
 * folders of this version exist, and none of them has this build's files. */
static bool find_folder(struct install *install, bool *there)
{
    for (unsigned i = 0; i < MOST_BUILDS; i++) {
        char path[PATH_MAX];
        snprintf(install->version, sizeof(install->version), i ? "%s+%u" : "%s", CUA_VERSION, i);
        join(path, CUA_INSTALL_DIR, install->version);
        *there = same_files(install, path);
        if (*there || (access(path, F_OK) && errno == ENOENT))
            return true;
    }
    return false;
}

static bool same_link(const struct install *install)
{
    char target[PATH_MAX];
    ssize_t length = readlink(CUA_INSTALL_LINK, target, sizeof(target) - 1);
    target[length < 0 ? 0 : length] = '\0';
    return !strcmp(target, install->version);
}

static bool is_installed(const struct install *install, bool both_kinds)
{
    char *present = NULL;
    char *edited = edited_preload(install, both_kinds, &present);
    bool same = edited && !strcmp(edited, present);
    free(edited);
    free(present);
    return same && same_link(install);
}

static int make_folder(const char *path)
{
    if (mkdir(path, 0755))
        return errno == EEXIST ? 0 : complain(path, -errno);
    return chmod(path, 0755) ? complain(path, -errno) : 0;
}

static int stage_files(const struct install *install)
{
    cua_remove_version(STAGE_DIR);
    int error = make_folder(STAGE_DIR);
    for (size_t i = 0; i < CUA_FILE_COUNT && !error; i++) {
        char path[PATH_MAX];
        join(path, STAGE_DIR, cua_files[i]);
        error = cua_replace_file(path, install->bytes[i], install->size[i], 0755, NULL, true);
        if (error)
            complain(path, error);
    }
    return error;
}

/* Called if the shim's entry in /etc/ld.so.preload contains $LIB. Makes the folders for the values
 * that 32-bit loaders put in place of $LIB, each with a library that does nothing. `lib`: the value
 * of $LIB in the 64-bit loader. stage() has made a link of this name, so a folder of this name, or
 * below it, is not made. */
static int stage_stubs(const char *lib)
{
    const void *bytes;
    size_t size = cua_stub32(&bytes);
    for (size_t i = 0; i < CUA_STUB_COUNT; i++) {
        char path[PATH_MAX];
        if (!strcmp(lib, "lib") && !strncmp(cua_stub_folders[i], "lib", 3) &&
            strchr("/", cua_stub_folders[i][3]))
            continue;
        int error = 0;
        join(path, STAGE_DIR, "lib");
        if (!strncmp(cua_stub_folders[i], "lib/", 4))
            error = make_folder(path);
        join(path, STAGE_DIR, cua_stub_folders[i]);
        if (!error)
            error = make_folder(path);
        if (error)
            return error;
        strncat(path, "/" CUA_FILE_SHIM, sizeof(path) - strlen(path) - 1);
        error = cua_replace_file(path, bytes, size, 0755, NULL, true);
        if (error)
            return complain(path, error);
    }
    return 0;
}

static int stage(const struct install *install, bool both_kinds)
{
    int error = stage_files(install);
    if (!error && !both_kinds)
        return cua_target_try(STAGE_DIR "/" CUA_FILE_SHIM, STAGE_DIR "/" CUA_FILE_SHIM);
    for (size_t i = 0; i < CUA_LIB_COUNT && !error; i++) {
        char path[PATH_MAX], expanded[PATH_MAX];
        bool deep = strchr(cua_lib_folders[i], '/');
        join(path, STAGE_DIR, "lib");
        if (deep && make_folder(path))
            return -EIO;
        join(path, STAGE_DIR, cua_lib_folders[i]);
        if (symlink(deep ? ".." : ".", path))
            return complain(path, -errno);
        snprintf(expanded, sizeof(expanded), "%s/%s/" CUA_FILE_SHIM, STAGE_DIR, cua_lib_folders[i]);
        if (cua_target_expands(STAGE_DIR "/$LIB/" CUA_FILE_SHIM, expanded)) {
            error = stage_stubs(cua_lib_folders[i]);
            return error ? error : cua_target_try(STAGE_DIR "/$LIB/" CUA_FILE_SHIM, expanded);
        }
        unlink(path);
        join(path, STAGE_DIR, "lib");
        if (deep)
            rmdir(path);
    }
    /* No known value of $LIB fits, or stage_files has failed. In the first case, run the loader
     * with the shim's own path: if the loader fails, its error message is printed. */
    if (!error && !cua_target_try(STAGE_DIR "/" CUA_FILE_SHIM, STAGE_DIR "/" CUA_FILE_SHIM))
        cua_complain("install", "the target's loader puts a folder in place of $LIB that cuarbiter "
                                "does not know");
    return -EINVAL;
}

/* Renames STAGE_DIR, into which stage() has put the files, to the folder of this build. Then
 * flushes its file system: the files must be on disk before /etc/ld.so.preload, perhaps on another
 * file system, names the shim. */
static int move_stage(const struct install *install)
{
    char path[PATH_MAX];
    join(path, CUA_INSTALL_DIR, install->version);
    int error = rename(STAGE_DIR, path) ? -errno : 0;
    int fd = error ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!error && (fd < 0 || syncfs(fd)))
        error = -errno;
    if (fd >= 0)
        close(fd);
    return error ? complain(path, error) : 0;
}

static int switch_link(const struct install *install)
{
    static const char temporary[] = CUA_INSTALL_LINK ".new";
    unlink(temporary);
    if (symlink(install->version, temporary) || rename(temporary, CUA_INSTALL_LINK))
        return complain(CUA_INSTALL_LINK, -errno);
    return 0;
}

static int switch_preload(const struct install *install, bool both_kinds)
{
    char *present = NULL;
    char *edited = edited_preload(install, both_kinds, &present);
    int error = edited ? 0 : -errno;
    if (edited && strcmp(edited, present) != 0)
        error = cua_replace_file(CUA_PRELOAD_FILE, edited, strlen(edited), 0644, NULL, true);
    if (error)
        complain(CUA_PRELOAD_FILE, error);
    free(edited);
    free(present);
    return error;
}

/* `there`, `both_kinds`: see place. */
static void print_plan(const struct install *install, bool there, bool both_kinds)
{
    const char *version = install->version;
    if (!there)
        puts("would run the target's own loader with the library and, if that works:");
    for (size_t i = 0; !there && i < CUA_FILE_COUNT; i++)
        printf("would write  " CUA_INSTALL_DIR "/%s/%s\n", version, cua_files[i]);
    printf("would add    " CUA_INSTALL_DIR "/%s/%s" CUA_FILE_SHIM " to " CUA_PRELOAD_FILE "\n"
           "would link   " CUA_INSTALL_LINK " -> %s\n",
           version, both_kinds ? "$LIB/" : "", version);
}

/* Makes a folder, unless *error is set already. Returns true if this call made it, so that the
 * caller can remove it again. *error receives a failure; an existing folder is no failure. */
static bool make_parent(const char *path, int *error)
{
    if (*error)
        return false;
    if (!mkdir(path, 0755) && !chmod(path, 0755))
        return true;
    if (errno != EEXIST)
        *error = complain(path, -errno);
    return false;
}

/* Installs the files if they are not `there` already. Then installs the entry in
 * /etc/ld.so.preload. In this order no entry names a missing file if the install is interrupted.
 * `both_kinds`: see edited_preload. */
static int place(const struct install *install, bool there, bool both_kinds)
{
    bool made_opt = false, made = false;
    int error = 0;
    if (!there) {
        made_opt = make_parent("/opt", &error);
        made = make_parent(CUA_INSTALL_DIR, &error);
        if (!error)
            error = stage(install, both_kinds);
        if (!error)
            error = move_stage(install);
    }
    if (error) {
        cua_remove_version(STAGE_DIR);
        if (made)
            rmdir(CUA_INSTALL_DIR);
        if (made_opt)
            rmdir("/opt");
        cua_complain("install", "%s: nothing was changed", install->options.root);
        return error;
    }
    /* The entry names the version's folder, not the link `current` in CUA_INSTALL_DIR: so a program
     * that runs during an upgrade still finds the answerer of its own shim's version. */
    error = switch_preload(install, both_kinds);
    return error ? error : switch_link(install);
}

static int inside(void *data)
{
    struct install *install = data;
    bool both_kinds = cua_target_has_32bit(), there;
    if (cua_target_check())
        return 1;
    int lock = cua_rootfs_lock("install");
    if (lock < 0)
        return 1;
    if (!find_folder(install, &there)) {
        cua_complain("install",
                     CUA_INSTALL_DIR ": %d other builds of version " CUA_VERSION
                                     " are there; cuarbiter uninstall removes them",
                     MOST_BUILDS);
        return 1;
    }
    if (there && is_installed(install, both_kinds)) {
        puts("version " CUA_VERSION " is installed already");
        return 0;
    }
    if (install->options.dry_run) {
        print_plan(install, there, both_kinds);
        return 0;
    }
    if (place(install, there, both_kinds))
        return 1;
    puts("installed version " CUA_VERSION);
    return 0;
}

static int run(int argc, char **argv)
{
    struct install install = {0};
    int result = cua_install_options(&cua_verb_install, argc, argv, &install.options);
    if (result >= 0)
        return result;
    if (!cua_home_folder()[0]) {
        cua_complain("install", "the folder with cuarbiter's files cannot be found: either /proc "
                                "cannot be read, or this command is not called " CUA_FILE_COMMAND);
        return 1;
    }
    result = 0;
    for (size_t i = 0; i < CUA_FILE_COUNT && !result; i++) {
        char path[PATH_MAX];
        join(path, cua_home_folder(), cua_files[i]);
        install.bytes[i] = cua_whole_file(path, CUA_WHOLE_MOST, &install.size[i]);
        if (!install.bytes[i]) {
            cua_complain("install", "%s: %s", path, strerror(errno));
            result = 1;
        }
    }
    if (!result)
        result = cua_rootfs_run("install", install.options.root, inside, &install);
    for (size_t i = 0; i < CUA_FILE_COUNT; i++)
        free(install.bytes[i]);
    return result;
}

const struct cua_verb cua_verb_install = {
    .name = "install",
    .run = run,
};
