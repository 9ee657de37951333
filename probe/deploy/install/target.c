/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/install/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "deploy/install/rootfs.h"
#include "cli/replace_file.h"
#include "cli/verb.h"

#if defined(__x86_64__)
#define LOADER    "/lib64/ld-linux-x86-64.so.2"
#define LOADER_32 "/lib/ld-linux.so.2"
#else
#define LOADER    "/lib/ld-linux-aarch64.so.1"
#define LOADER_32 "/lib/ld-linux-armhf.so.3"
#endif

#define LOADER_SECONDS 10
#define NOBODY         65534

int cua_target_check(void)
{
    if (!access(LOADER, X_OK))
        return 0;
    int error = errno;
    cua_complain(
        "install",
        "the root folder has no usable %s (%s): cuarbiter works only with glibc of its own "
        "architecture",
        LOADER, strerror(error));
    return -error;
}

bool cua_target_has_32bit(void)
{
    return !access(LOADER_32, X_OK);
}

/* Whether a file is an ELF file, so that the loader can run it. become_loader lets the loader run
 * /bin/true. Where coreutils are a single binary, /bin/true may be a script. Then become_loader
 * takes /bin/sh, which is never a script. */
static bool is_elf(const char *path)
{
    char magic[4];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, magic, sizeof(magic));
    close(fd);
    return got == sizeof(magic) && !memcmp(magic, "\177ELF", sizeof(magic));
}

/* Drops rights before the target's loader, which is foreign code, is run. The loader runs as the
 * user nobody if that user can reach it; else as this process's user, without capabilities. Ends
 * the process if the capabilities cannot be dropped. */
static void drop_rights(void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    static const struct __user_cap_data_struct none[2];

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (geteuid() == 0 && syscall(SYS_setgroups, 0, NULL) == 0 &&
        syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) == 0 &&
        syscall(SYS_setreuid, NOBODY, -1) == 0) {
        /* access() checks the real user, which is nobody now. */
        if (access(LOADER, X_OK) == 0 && syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY) == 0)
            return;
        syscall(SYS_setreuid, 0, -1);
    }
    if (syscall(SYS_capset, &head, none) != 0)
        _exit(127);
}

static void become_loader(const char *preload, bool list, int out)
{
    char variable[PATH_MAX + 16];
    /* The target may have a FIFO in place of a file, and the loader would wait in open(). The alarm
     * then ends the process. */
    signal(SIGALRM, SIG_DFL);
    alarm(LOADER_SECONDS);
    snprintf(variable, sizeof(variable), "LD_PRELOAD=%s", preload);
    bool shell = !is_elf("/bin/true");
    char *const argv[] = {(char *)LOADER, (char *)(shell ? "/bin/sh" : "/bin/true"),
                          shell ? (char *)"-c" : NULL, (char *)":", NULL};
    char *const env[] = {variable, (char *)"CUARBITER_LOG=error",
                         list ? (char *)"LD_TRACE_LOADED_OBJECTS=1" : NULL, NULL};
    if (dup2(out, 1) < 0 || dup2(out, 2) < 0)
        _exit(127);
    drop_rights();
    execve(LOADER, argv, env);
    _exit(127);
}

/* Runs the target's loader. Returns its exit status, 128 + the signal that ended it, or -errno.
 * `list`: the loader only lists what it maps. `output` receives what the loader printed, cut to
 * `size` - 1 bytes. */
static int run_loader(const char *preload, bool list, char *output, size_t size)
{
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC))
        return -errno;
    pid_t child = fork();
    if (child == 0)
        become_loader(preload, list, ends[1]);
    int error = child < 0 ? -errno : 0;
    close(ends[1]);
    size_t length = 0;
    while (!error) {
        char rest[512];
        bool full = length == size - 1;
        ssize_t got = full ? read(ends[0], rest, sizeof(rest))
                           : read(ends[0], output + length, size - 1 - length);
        if (got <= 0)
            break;
        if (!full)
            length += (size_t)got;
    }
    output[length] = '\0';
    close(ends[0]);
    if (error || waitpid(child, &status, 0) != child)
        return error ? error : -errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool cua_target_expands(const char *preload, const char *file)
{
    char output[16384] = "";
    return run_loader(preload, true, output, sizeof(output)) == 0 && strstr(output, file);
}

int cua_target_try(const char *preload, const char *file)
{
    char output[1024] = "";
    int status = run_loader(preload, false, output, sizeof(output));
    if (status == 0 && !*output && cua_target_expands(preload, file))
        return 0;
    output[strcspn(output, "\n")] = '\0';
    if (status < 0)
        cua_complain("install", "the target's loader could not be run: %s", strerror(-status));
    else if (status == 128 + SIGALRM)
        cua_complain("install", "the target's loader did not end within %d seconds",
                     LOADER_SECONDS);
    else
        cua_complain("install", "the target's loader cannot load the library (exit code %d): %s",
                     status, *output ? output : "it printed nothing");
    return -ENOEXEC;
}

/* Older builds of cuarbiter installed this file, so it is removed too. */
#define CUA_FILE_BEFORE "libcuarbiter-engine.so"

static void remove_part(const char *folder, const char *part)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", folder, part);
    unlink(path); /* fails if it is a folder; cua_remove_version removes that later */
    snprintf(path, sizeof(path), "%s/%s" CUA_FRESH_SUFFIX, folder, part);
    unlink(path);
}

int cua_remove_version(const char *folder)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < CUA_LIB_COUNT; i++)
        remove_part(folder, cua_lib_folders[i]);
    /* The shim is the last of cua_files: as long as it is there, an interrupted removal can be
     * repeated, because uninstall recognizes cuarbiter's folders by it. */
    for (size_t i = 0; i < CUA_FILE_COUNT; i++)
        remove_part(folder, cua_files[i]);
    remove_part(folder, CUA_FILE_BEFORE);
    for (size_t i = 0; i < CUA_STUB_COUNT; i++) {
        char part[64];
        snprintf(part, sizeof(part), "%s/" CUA_FILE_SHIM, cua_stub_folders[i]);
        remove_part(folder, part);
        snprintf(path, sizeof(path), "%s/%s", folder, cua_stub_folders[i]);
        rmdir(path);
    }
    return rmdir(folder) ? -errno : 0;
}
