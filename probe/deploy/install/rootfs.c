/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/install/rootfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "cli/options.h"
#include "cli/verb.h"

/* The names of the files in the order in which they are copied and removed. The shim, which needs
 * the answerer, is the last, so that a folder which is being filled never has a shim without its
 * answerer. */
const char *const cua_files[CUA_FILE_COUNT] = {CUA_FILE_ANSWERER, CUA_FILE_COMMAND, CUA_FILE_SHIM};

#if defined(__x86_64__)
const char *const cua_lib_folders[CUA_LIB_COUNT] = {"lib/x86_64-linux-gnu", "lib64", "lib"};
const char *const cua_stub_folders[CUA_STUB_COUNT] = {"lib/i386-linux-gnu", "lib32", "lib"};
#else
const char *const cua_lib_folders[CUA_LIB_COUNT] = {"lib/aarch64-linux-gnu", "lib64", "lib"};
const char *const cua_stub_folders[CUA_STUB_COUNT] = {"lib/arm-linux-gnueabihf", "lib32", "lib"};
#endif

#define LOCK_SECONDS 20

static void write_map(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    /* A failure is not reported here: if an ID is not mapped, a later step fails and is
     * reported. */
    if (write(fd, text, strlen(text)) < 0)
        errno = 0;
    close(fd);
}

static int enter(const char *root)
{
    if (!strcmp(root, "/"))
        return 0;
    if (geteuid() != 0) {
        char map[64];
        unsigned uid = geteuid(), gid = getegid();
        if (unshare(CLONE_NEWUSER))
            return -errno;
        snprintf(map, sizeof(map), "0 %u 1\n", uid);
        write_map("/proc/self/uid_map", map);
        write_map("/proc/self/setgroups", "deny");
        snprintf(map, sizeof(map), "0 %u 1\n", gid);
        write_map("/proc/self/gid_map", map);
    }
    return chroot(root) || chdir("/") ? -errno : 0;
}

int cua_rootfs_run(const char *verb, const char *root, int (*fn)(void *data), void *data)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int error = enter(root);
        if (error)
            cua_complain(verb, "%s: cannot be entered: %s", root, strerror(-error));
        int result = error ? 1 : fn(data);
        if (fflush(stdout) && !result)
            result = 1;
        _exit(result);
    }
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status))
        return WEXITSTATUS(status);
    cua_complain(verb, "%s: %s", root, child < 0 ? strerror(errno) : "the child process died");
    return 1;
}

/* Locks /etc, because every root has it at any time, unlike the folders that install makes and
 * uninstall removes. */
int cua_rootfs_lock(const char *verb)
{
    int fd = open("/etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool locked = false;

    /* Try repeatedly instead of blocking in flock: any process that can read /etc could hold this
     * lock for ever. */
    for (int tenths = 0; fd >= 0 && !locked && tenths < 10 * LOCK_SECONDS; tenths++) {
        locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
        if (!locked && errno != EWOULDBLOCK && errno != EINTR)
            break;
        if (!locked)
            poll(NULL, 0, 100);
    }
    if (locked)
        return fd;
    cua_complain(verb, "/etc: %s",
                 errno == EWOULDBLOCK ? "another process keeps it locked" : strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool is_ours(const char *word, size_t length)
{
    static const char before[] = CUA_INSTALL_DIR "/", after[] = "/" CUA_FILE_SHIM;
    return length >= sizeof(before) + sizeof(after) - 3 &&
           !strncmp(word, before, sizeof(before) - 1) &&
           !strncmp(word + length - (sizeof(after) - 1), after, sizeof(after) - 1);
}

char *cua_preload_edit(const char *text, const char *entry)
{
    char *out = malloc(strlen(text) + (entry ? strlen(entry) : 0) + 3);
    if (!out)
        return NULL;
    size_t length = 0;
    while (*text) {
        size_t line = length;
        bool cut = false, kept = false;
        while (*text && *text != '\n') {
            size_t word = strcspn(text, " \t:,#\n");
            if (is_ours(text, word)) {
                text += word + strspn(text + word, " \t:,");
                cut = true;
                continue;
            }
            if (*text == '#')
                word = strcspn(text, "\n");
            else if (!word)
                word = 1;
            else
                kept = true;
            kept = kept || *text == '#';
            memcpy(out + length, text, word);
            length += word;
            text += word;
        }
        if (cut && !kept)
            length = line;
        else if (*text)
            out[length++] = '\n';
        if (*text)
            text++;
    }
    if (entry) {
        if (length && out[length - 1] != '\n')
            out[length++] = '\n';
        length += (size_t)sprintf(out + length, "%s\n", entry);
    }
    out[length] = '\0';
    return out;
}

int cua_install_options(const struct cua_verb *verb, int argc, char **argv,
                        struct cua_install_options *options)
{
    const char *root = NULL;
    bool yes = false;
    int option, code = 0;
    options->dry_run = false;
    while ((option = cua_option(verb, argc, argv, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        if (option == 'r')
            root = optarg;
        else if (option == 'n')
            options->dry_run = true;
        else
            yes = true;
    }
    if (optind < argc)
        return cua_usage(verb, "it takes options only");
    if (!root)
        return cua_usage(verb, "--root is needed");
    if (!realpath(root, options->root)) {
        cua_complain(root, "%s", strerror(errno));
        return CUA_EXIT_USAGE;
    }
    if (!strcmp(options->root, "/") && !yes && !options->dry_run)
        return cua_usage(verb, "--root / is this machine itself: add --yes");
    return -1;
}
