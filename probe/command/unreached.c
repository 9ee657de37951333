/* SPDX-License-Identifier: Apache-2.0 */
#include "command/unreached.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "base/whole.h"
#include "cuarbiter/names.h"
#include "elf/file.h"

/* Limit for a file of /proc/PID. The largest is environ: since Linux 4.13 arguments and environment
 * together are at most 6 MiB, whatever the stack limit is. */
#define TEXT_MOST     (8u << 20)
#define SEGMENTS_MOST 64

/* Reads the whole file /proc/PID/NAME, to be freed; NULL with errno set. */
static char *read_of(pid_t pid, const char *name, size_t *size)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
    return cua_whole_file(path, TEXT_MOST, size);
}

/* Whether real and effective user differ. /proc/PID/status has the line
 * "Uid:\treal\teffective\t...", and everybody may read it. False if it cannot be read. */
static bool has_other_user(pid_t pid)
{
    unsigned long own[4] = {0};
    char *text = read_of(pid, "status", NULL);
    const char *line = text ? strstr(text, "\nUid:") : NULL;
    bool other = line &&
                 sscanf(line, "\nUid: %lu %lu %lu %lu", own, own + 1, own + 2, own + 3) == 4 &&
                 own[0] != own[1];

    free(text);
    return other;
}

static bool is_secure(pid_t pid)
{
    size_t size = 0;
    unsigned long *pair = (unsigned long *)(void *)read_of(pid, "auxv", &size);
    bool secure = false;

    for (size_t i = 0; pair && (i + 2) * sizeof(*pair) <= size && pair[i]; i += 2)
        secure |= pair[i] == AT_SECURE && pair[i + 1];
    free(pair);
    return secure || has_other_user(pid);
}

/* Reads which loader (PT_INTERP) a 64-bit program names; "": it names none. False: the program
 * cannot be read, or has more than SEGMENTS_MOST segments. */
static bool read_loader(int fd, char *loader, size_t size)
{
    Elf64_Phdr segment[SEGMENTS_MOST];
    Elf64_Ehdr header;

    loader[0] = '\0';
    if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
        header.e_phentsize != sizeof(*segment) || header.e_phnum > SEGMENTS_MOST)
        return false;
    ssize_t table = (ssize_t)(header.e_phnum * sizeof(*segment));
    if (pread(fd, segment, (size_t)table, (off_t)header.e_phoff) != table)
        return false;
    for (size_t i = 0; i < header.e_phnum; i++) {
        if (segment[i].p_type != PT_INTERP)
            continue;
        ssize_t length = pread(fd, loader, size - 1, (off_t)segment[i].p_offset);
        loader[length < 0 ? 0 : length] = '\0';
        return length > 0;
    }
    return true;
}

static enum cua_unreached judge_program(pid_t pid)
{
    char path[64], loader[PATH_MAX], program[PATH_MAX], head[sizeof(Elf64_Ehdr)] = "";
    enum cua_unreached why = CUA_REACHABLE;

    snprintf(path, sizeof(path), "/proc/%ld/exe", (long)pid);
    ssize_t length = readlink(path, program, sizeof(program) - 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return CUA_REACHABLE;
    program[length < 0 ? 0 : length] = '\0';
    ssize_t have = pread(fd, head, sizeof(head), 0);
    if (have < (ssize_t)sizeof(head))
        ;
    else if (cua_elf_glance(head, (uint64_t)have, cua_elf_own_machine()) == CUA_ELF_OTHER)
        why = CUA_UNREACHED_MACHINE;
    else if (!read_loader(fd, loader, sizeof(loader)))
        ;
    else if (strstr(cua_basename(loader), "ld-musl"))
        why = CUA_UNREACHED_MUSL;
    else if (loader[0] && !cua_starts(cua_basename(loader), "ld-linux"))
        why = CUA_UNREACHED_LOADER;
    else if (!loader[0] && !cua_starts(cua_basename(program), "ld-"))
        why = CUA_UNREACHED_STATIC;
    close(fd);
    return why;
}

/* Finds the entry that names the shim (a file libcuarbiter.so in any folder) in a list of paths,
 * and writes a NUL after it. NULL: there is none, or `list` is NULL. */
static char *find_shim(char *list)
{
    char *word;

    while ((word = strsep(&list, " :\t\n")))
        if (strcmp(cua_basename(word), CUA_FILE_SHIM) == 0)
            return word;
    return NULL;
}

static bool may_read(pid_t pid, const char *file)
{
    char path[PATH_MAX + 64];

    snprintf(path, sizeof(path), "/proc/%ld/root%s", (long)pid, file);
    return file[0] != '/' || strchr(file, '$') || access(path, R_OK) == 0 || errno == EACCES;
}

/* Whether the kernel has not set the program up yet: /proc/PID/auxv then is empty or begins with
 * AT_NULL. An empty environ would not show that, because a program may have no environment. */
static bool is_starting(pid_t pid)
{
    size_t size = 0;
    unsigned long *pair = (unsigned long *)(void *)read_of(pid, "auxv", &size);
    bool starting = pair && (size < sizeof(*pair) || !pair[0]);

    free(pair);
    return starting;
}

static enum cua_unreached judge_names(pid_t pid)
{
    size_t size = 0, at;
    char *text = read_of(pid, "environ", &size), *list = NULL, *file;
    enum cua_unreached why = CUA_UNREACHED_UNNAMED;

    if (!text)
        return CUA_REACHABLE;
    if (!size && is_starting(pid)) {
        free(text);
        return CUA_STARTING;
    }
    for (at = 0; at < size && !list; at += strlen(text + at) + 1)
        if (cua_starts(text + at, "LD_PRELOAD="))
            list = text + at + strlen("LD_PRELOAD=");
    file = find_shim(list);
    if (file)
        why = may_read(pid, file) ? CUA_REACHABLE : CUA_UNREACHED_FILES;
    free(text);
    if (why != CUA_UNREACHED_UNNAMED)
        return why;
    text = read_of(pid, "root/etc/ld.so.preload", NULL);
    file = find_shim(text);
    if (file)
        why = may_read(pid, file) ? CUA_REACHABLE : CUA_UNREACHED_FILES;
    free(text);
    return why;
}

enum cua_unreached cua_unreached_find(pid_t pid)
{
    enum cua_unreached why = judge_program(pid);

    if (why == CUA_REACHABLE && is_secure(pid))
        why = CUA_UNREACHED_PRIVILEGES;
    return why == CUA_REACHABLE ? judge_names(pid) : why;
}

const char *cua_unreached_words(enum cua_unreached why)
{
    static const char *const words[CUA_UNREACHED_REASONS] = {
        [CUA_REACHABLE] = "",
        [CUA_STARTING] = "",
        [CUA_UNREACHED_MACHINE] = "the program is a 32-bit one, or built for another architecture",
        [CUA_UNREACHED_STATIC] = "the program is static, so LD_PRELOAD has no effect",
        [CUA_UNREACHED_MUSL] = "the program is built for musl, and cuarbiter works only with glibc",
        [CUA_UNREACHED_LOADER] = "the program's loader is not glibc's ld.so",
        [CUA_UNREACHED_PRIVILEGES] =
            "the program has raised privileges (setuid, capabilities): ld.so "
            "ignores LD_PRELOAD there, and cuarbiter does nothing",
        [CUA_UNREACHED_UNNAMED] = "neither LD_PRELOAD nor /etc/ld.so.preload names it: the process "
                                  "was started without it, or its environment was cleared",
        [CUA_UNREACHED_FILES] = "LD_PRELOAD or /etc/ld.so.preload names a file that does not exist "
                                "in the container or chroot of the process",
    };

    return words[why];
}
