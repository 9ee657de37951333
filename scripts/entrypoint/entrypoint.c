/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An image's ENTRYPOINT: adds the shim to LD_PRELOAD, keeps what is there, and becomes the command.
 * The shim is the one beside this program, else the one in /opt/cuarbiter. Where ld.so would
 * complain about it, or the command is not built on glibc, LD_PRELOAD stays as it is. Static and
 * without a libc, because the image may have none. Writes no file.
 */
#include <elf.h>
#include <errno.h>
#include <linux/limits.h>
#include <signal.h>
#include <sys/uio.h>

#include "syscalls.h"
#include "text.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#define LOADER  "/lib64/ld-linux-x86-64.so.2"
#define MUSL    "/lib/ld-musl-x86_64.so.1"
__asm__(".globl _start\n_start: endbr64\nxorl %ebp, %ebp\nmovq %rsp, %rdi\nandq $-16, %rsp\n"
        "call cua_entry\nhlt\n");
#else
#define MACHINE EM_AARCH64
#define LOADER  "/lib/ld-linux-aarch64.so.1"
#define MUSL    "/lib/ld-musl-aarch64.so.1"
__asm__(".globl _start\n_start: hint #34\nmov x29, #0\nmov x30, #0\nmov x0, sp\n"
        "bl cua_entry\nbrk #0\n");
#endif

#define SHELL   "/bin/sh"
#define SHIM    "/libcuarbiter.so"
#define OTHER   "/opt/cuarbiter"
#define PRELOAD "LD_PRELOAD="
#define LIBRARY "LD_LIBRARY_PATH="
#define PATHS   "PATH="
#define USUAL   "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* The value of a variable; the last one of a name counts for ld.so. */
static char **find(char **env, const char *name)
{
    char **found = NULL;

    for (; *env; env++)
        if (cua_starts(*env, name))
            found = env;
    return found;
}

/* With a shell's codes. */
static void end(const char *command, const char *why, int code)
{
    static const char before[] = "cuarbiter: entrypoint: ";
    struct iovec parts[] = {{(char *)(uintptr_t)before, sizeof(before) - 1},
                            {(char *)(uintptr_t)command, cua_length(command)},
                            {(char *)(uintptr_t)why, cua_length(why)}};

    cua_syscall(SYS_writev, 2, (long)parts, 3, 0, 0, 0);
    cua_syscall(SYS_exit_group, code, 0, 0, 0, 0, 0);
}

/* The file of a command, looked for as execvp(3) does; the command itself where there is none. */
static const char *resolve(const char *command, char **env, char *path)
{
    char **variable = find(env, PATHS);
    const char *list = variable ? *variable + sizeof(PATHS) - 1 : USUAL;
    size_t length, rest = cua_length(command) + 1;
    struct stat st;

    for (; !cua_has(command, '/'); list += length + 1) {
        for (length = 0; list[length] && list[length] != ':';)
            length++;
        if (length + 2 + rest <= PATH_MAX) {
            char *at = cua_mempcpy(path, length ? list : ".", length ? length : 1);
            *at++ = '/';
            cua_mempcpy(at, command, rest);
            if (!cua_sys_stat(path, &st) && S_ISREG(st.st_mode) && st.st_mode & 0111)
                return path;
        }
        if (!list[length])
            break;
    }
    return command;
}

static long read_at(int fd, void *buf, size_t size, uint64_t offset)
{
    return cua_syscall(SYS_pread64, fd, (long)buf, (long)size, (long)offset, 0, 0);
}

/* The loader of the program at `path`; where it names none, as a script or a static program, that
 * of /bin/sh, or what the ABI names. False if it is not glibc's, or the program is another
 * machine's. */
static bool find_loader(const char *path, char *loader)
{
    int fd = cua_sys_open(path);
    Elf64_Phdr segment;
    Elf64_Ehdr header;
    struct stat st;
    bool elf = read_at(fd, &header, sizeof(header), 0) == sizeof(header) &&
               cua_starts((const char *)header.e_ident, ELFMAG);
    bool own = elf && header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == MACHINE;

    loader[0] = '\0';
    for (unsigned i = 0; own && i < header.e_phnum; i++) {
        if (read_at(fd, &segment, sizeof(segment), header.e_phoff + i * sizeof(segment)) > 0 &&
            segment.p_type == PT_INTERP && segment.p_filesz < PATH_MAX &&
            read_at(fd, loader, segment.p_filesz, segment.p_offset) >= 0)
            loader[segment.p_filesz] = '\0';
    }
    cua_sys_close(fd);
    if (loader[0] || (elf && !own))
        return cua_starts(cua_file(loader), "ld-linux");
    if (!cua_same(path, SHELL))
        return find_loader(SHELL, loader);
    cua_mempcpy(loader, LOADER, sizeof(LOADER));
    return cua_sys_stat(MUSL, &st) && !cua_sys_stat(loader, &st);
}

/* Lets the loader list what the shim needs: it refuses a file that is damaged or on a mount without
 * exec, and says so where a version is missing. */
static bool loads(const char *loader, const char *shim, char **env)
{
    char *argv[] = {(char *)(uintptr_t)loader, (char *)(uintptr_t) "--list",
                    (char *)(uintptr_t)shim, NULL};
    char **library = find(env, LIBRARY), *own[] = {library ? *library : NULL, NULL}, byte;
    int said[2], status = -1;

    if (cua_syscall(SYS_pipe2, (long)said, O_CLOEXEC, 0, 0, 0, 0))
        return false;
    long child = cua_syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
    if (!child) {
        cua_sys_close(1);
        cua_syscall(SYS_dup3, said[1], 2, 0, 0, 0, 0);
        cua_syscall(SYS_execve, (long)loader, (long)argv, (long)own, 0, 0, 0);
        cua_syscall(SYS_exit_group, 1, 0, 0, 0, 0, 0);
    }
    cua_sys_close(said[1]);
    bool silent = !cua_syscall(SYS_read, said[0], (long)&byte, 1, 0, 0, 0);
    cua_sys_close(said[0]);
    return child > 0 && cua_syscall(SYS_wait4, child, (long)&status, 0, 0, 0, 0) == child &&
           silent && !status;
}

/* False where LD_PRELOAD has the shim already. */
static bool is_new(const char *list, const char *shim, size_t length)
{
    for (const char *at = list; *at; at++)
        if ((at == list || cua_has(": ", at[-1])) && cua_starts(at, shim) &&
            (!at[length] || cua_has(": ", at[length])))
            return false;
    return true;
}

/* The environment with the shim in LD_PRELOAD, or as it is. */
static char **with_shim(char **env, const char *shim)
{
    char **variable = find(env, PRELOAD), **made = NULL, *text;
    const char *old = variable ? *variable + sizeof(PRELOAD) - 1 : "";
    size_t length = cua_length(old), own = cua_length(shim) + 1, count = 0;

    while (env[count])
        count++;
    if (is_new(old, shim, own - 1))
        made = cua_sys_map((count + 2) * sizeof(*made) + sizeof(PRELOAD) + length + 1 + own);
    if (!made)
        return env;
    cua_mempcpy((char *)made, (const char *)env, count * sizeof(*made));
    text = (char *)(made + count + 2);
    made[variable ? (size_t)(variable - env) : count] = text;
    text = cua_mempcpy(text, PRELOAD, sizeof(PRELOAD) - 1);
    text = cua_mempcpy(text, old, length);
    if (length && old[length - 1] != ':')
        *text++ = ':';
    cua_mempcpy(text, shim, own);
    return made;
}

static __attribute__((used)) void cua_entry(long *stack)
{
    char **argv = (char **)(stack + 1), **env = argv + stack[0] + 1;
    char found[PATH_MAX], loader[PATH_MAX], own[PATH_MAX], shim[PATH_MAX + sizeof(SHIM)];

    if (stack[0] < 2)
        end("", "no command to run\n", 125);
    const char *path = resolve(argv[1], env, found), *folder = own;
    long length =
        cua_syscall(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)own, sizeof(own), 0, 0);
    while (length > 0 && own[length - 1] != '/')
        length--;
    own[length > 0 ? length - 1 : 0] = '\0';
    bool fits = false, last = !find_loader(path, loader);
    for (; !last && !fits; last = folder != own, folder = OTHER) {
        cua_mempcpy(cua_mempcpy(shim, folder, cua_length(folder)), SHIM, sizeof(SHIM));
        /* LD_PRELOAD cannot express every path. */
        fits = !cua_has(folder, ' ') && !cua_has(folder, ':') && !cua_has(folder, '$') &&
               loads(loader, shim, env);
    }
    char **more = fits ? with_shim(env, shim) : env;
    long error = cua_syscall(SYS_execve, (long)path, (long)(argv + 1), (long)more, 0, 0, 0);
    struct stat st;
    if (error == -ENOENT || error == -ENOTDIR)
        end(argv[1],
            cua_sys_stat(path, &st) ? ": not found\n"
                                    : ": its interpreter or loader is not found\n",
            127);
    end(argv[1], ": cannot be executed\n", 126);
}
