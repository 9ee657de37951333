/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second exec. The kernel gives a new process all that it gave this one; what has to be added
 * for ld.so, and for the second run, stands in LD_PRELOAD and is gone before the program sees it.
 */
#include <sys/auxv.h>

#include "exec.h"
#include "mapped.h"
#include "objects.h"
#include "syscalls.h"
#include "text.h"

#define SELF      "/proc/self/exe"
#define CMDLINE   "/proc/self/cmdline"
#define FILE_LIST "/etc/ld.so.preload"
#define LIST_MAX  4096
/* One string of env must stay under the kernel's MAX_ARG_STRLEN. */
#define STRING_MAX (128 * 1024)
#define ARGS_MAX   (8 * 1024 * 1024)

static const char no_arguments[] = "the loader's own arguments cannot be read";

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Without /proc: the file's first bytes, headers and build-id among them, are those in memory. */
static bool looks_like_program(const char *path)
{
    const char *memory = (const char *)getauxval(AT_PHDR);
    char bytes[512];
    long at, i = 0, got;
    int fd = memory ? cua_sys_open(path) : -1;

    memory -= sizeof(ElfW(Ehdr));
    for (at = 0; fd >= 0 && at < 2048; at += i) {
        got = cua_sys_pread(fd, bytes, sizeof(bytes), (uint64_t)at);
        for (i = 0; i < got && bytes[i] == memory[at + i];)
            i++;
        if (i < (long)sizeof(bytes))
            break;
    }
    if (fd >= 0)
        cua_sys_close(fd);
    return at >= 2048;
}

/* Emulators answer readlink for the program, but stat and execve would get the emulator. */
static bool link_lies(const struct stat *self)
{
    static const char deleted[] = " (deleted)";
    long tail = sizeof(deleted) - 1, length;
    struct stat named;
    char path[1024];

    length = cua_sys_readlink(SELF, path, sizeof(path) - 1);
    if (length <= tail || length >= (long)sizeof(path) - 1)
        return false;
    path[length] = 0;
    if (cua_same(path + length - tail, deleted))
        return false;
    return cua_sys_stat(path, &named) == 0 && !same_file(&named, self);
}

/* Writes what the second run has to know behind `to`, and says in `file` what is executed. */
static const char *choose_file(const struct cua_process *process, char *to, const char **file)
{
    struct stat self, named;
    char name[16] = "";

    cua_sys_prctl(PR_GET_NAME, name);
    to = cua_put(to, CUA_NOTE, sizeof(CUA_NOTE) - 1);
    *to++ = (char)('A' + cua_length(name));
    to = cua_put(to, name, cua_length(name) + 1);
    *file = process->file;
    if (cua_sys_stat(SELF, &self) < 0) {
        if (process->explicit_loader || !*file || !looks_like_program(*file))
            return "the program's file cannot be told without /proc";
        return NULL;
    }
    /* By its own name: AT_EXECFN then comes out as it is. */
    if (*file && cua_sys_stat(*file, &named) == 0 && same_file(&named, &self))
        return NULL;
    if (link_lies(&self))
        return "the process runs under an emulator";
    /* ld.so sets it itself when it was started explicitly. */
    if (*file && !process->explicit_loader && cua_length(*file) < LIST_MAX)
        cua_put(to - 1, *file, cua_length(*file) + 1);
    *file = SELF;
    return NULL;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* ld.so has moved its own arguments away; /proc/self/cmdline still has them. */
static bool measure_arguments(size_t *count, size_t *size)
{
    long got = 1, i;
    char bytes[512];
    int fd = cua_sys_open(CMDLINE);

    if (fd < 0)
        return false;
    for (*count = *size = 0; *size < ARGS_MAX; *size += (size_t)got) {
        got = cua_sys_pread(fd, bytes, sizeof(bytes), *size);
        if (got <= 0)
            break;
        for (i = 0; i < got; i++)
            *count += !bytes[i];
    }
    cua_sys_close(fd);
    return got == 0 && *count;
}

static bool read_arguments(char **argv, size_t count, size_t size)
{
    char *text = (char *)(argv + count + 1);
    size_t have = 0, i;
    long got = 1;
    int fd = cua_sys_open(CMDLINE);

    if (fd < 0)
        return false;
    for (; have < size && got > 0; have += got > 0 ? (size_t)got : 0)
        got = cua_sys_pread(fd, text + have, size - have, have);
    cua_sys_close(fd);
    if (have != size || text[have - 1])
        return false;
    for (i = 0; i < count; i++, text += cua_length(text) + 1)
        argv[i] = text;
    return true;
}

const char *cua_exec_prepare(struct cua_exec *exec, const struct cua_process *process)
{
    size_t args = (size_t)process->argc, args_size = 0, i;
    const char *preload = process->preload ? *process->preload : CUA_PRELOAD;

    exec->process = process;
    exec->memory = NULL;
    if (cua_length(preload) >= STRING_MAX / 2)
        return "LD_PRELOAD is too long";
    if (process->explicit_loader && !measure_arguments(&args, &args_size))
        return no_arguments;
    exec->size = (process->entries + 3 + args + 1) * sizeof(char *) + args_size + STRING_MAX;
    exec->memory = cua_sys_map(exec->size);
    if (!exec->memory)
        return "there is no memory";
    exec->env = exec->memory;
    exec->argv = exec->env + process->entries + 3;
    exec->text = (char *)(exec->argv + args + 1) + args_size;
    cua_put(exec->text, preload, cua_length(preload));
    for (i = 0; i < process->entries; i++)
        exec->env[i] = process->env[i];
    if (process->explicit_loader)
        return read_arguments(exec->argv, args, args_size) ? NULL : no_arguments;
    for (i = 0; i < args; i++)
        exec->argv[i] = process->argv[i];
    return NULL;
}

void cua_exec_drop(struct cua_exec *exec)
{
    if (exec->memory)
        cua_sys_unmap(exec->memory, exec->size);
}

/* ---- LD_PRELOAD ------------------------------------------------------------------------------ */

/*
 * Entries of LD_PRELOAD come before those of /etc/ld.so.preload. So that a hook there stays before
 * the UMD, the entries that were loaded are named before it; each is loaded only once. Those that
 * were not are left out, or ld.so would complain twice. Returns the end of what it wrote, at most
 * LIST_MAX bytes; NULL if the file is too long.
 */
static char *repeat_file_list(char *to)
{
    char list[LIST_MAX], *from, *end;
    bool comment = false;
    long got;
    int fd = cua_sys_open(FILE_LIST);

    if (fd < 0)
        return to;
    got = cua_sys_pread(fd, list, LIST_MAX, 0);
    cua_sys_close(fd);
    if (got >= LIST_MAX)
        return NULL;
    end = list + (got > 0 ? got : 0);
    *end = 0;
    for (from = list; from < end; from++) {
        comment = *from != '\n' && (comment || *from == '#');
        if (comment || *from == '\t' || *from == '\n' || *from == ':' || *from == ' ')
            *from = 0;
    }
    for (from = list; from < end; from += cua_length(from) + 1) {
        if (*from && cua_mapped(cua_file(from, cua_length(from)))) {
            to = cua_put(to, from, cua_length(from));
            *to++ = ':';
        }
    }
    return to;
}

static bool is_sayable(const char *umd)
{
    if (*umd != '/')
        return false;
    for (; *umd; umd++)
        if (*umd == ' ' || *umd == ':' || *umd == '$')
            return false;
    return true;
}

/* What ld.so cannot map it passes over with a complaint, and the program would run as it does now.
 */
static bool is_mappable(const char *umd)
{
    int fd = cua_sys_open(umd);
    bool can = fd >= 0 && cua_sys_map_code(fd);

    if (fd >= 0)
        cua_sys_close(fd);
    return can;
}

static const char *write_preload(struct cua_exec *exec, const char *umd)
{
    char *to = exec->text + cua_length(exec->text);

    if (cua_length(umd) >= LIST_MAX)
        return "its path is too long";
    to = cua_put(to, "::", 2);
    to = repeat_file_list(to);
    if (!to)
        return FILE_LIST " is too long";
    cua_put(to, umd, cua_length(umd) + 1);
    return NULL;
}

const char *cua_exec_again(struct cua_exec *exec, const char *umd)
{
    const struct cua_process *process = exec->process;
    char **added = exec->env + process->entries;
    const char *file, *why;

    if (!is_sayable(umd))
        return "a path with a space, a colon or a dollar sign cannot stand in LD_PRELOAD";
    if (!is_mappable(umd))
        return "that file cannot be mapped as code";
    why = write_preload(exec, umd);
    if (why)
        return why;
    added[0] = exec->text;
    added[1] = exec->text + cua_length(exec->text) + 1;
    if (process->preload) {
        exec->env[process->preload - process->env] = exec->text;
        added[0] = added[1] - 1; /* empty */
    }
    why = choose_file(process, added[1], &file);
    if (why)
        return why;
    cua_sys_execve(file, exec->argv, exec->env);
    return "execve was refused";
}
