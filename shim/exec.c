/* SPDX-License-Identifier: Apache-2.0 */
/* The second exec. The program gets the same arguments and environment again. What ld.so and the
 * second run need besides is appended to them, and removed before the program sees it. */
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
#define ARGS_MAX   (2 * 1024 * 1024)

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Did the kernel start ld.so itself, and ld.so the program? */
static bool is_loader_started(const struct cua_process *process)
{
    return !cua_process_aux(process->auxv, AT_BASE);
}

/* Without /proc: compares the file's first bytes, headers and build ID among them, with memory. */
static bool looks_like_program(const struct cua_process *process, const char *path)
{
    const char *memory = (const char *)cua_process_aux(process->auxv, AT_PHDR);
    char bytes[2048];
    size_t size = memory ? cua_sys_read_file(path, bytes, sizeof(bytes)) : 0, i = 0;

    while (i < size && bytes[i] == memory[i - sizeof(ElfW(Ehdr))])
        i++;
    return i == sizeof(bytes);
}

/* Under an emulator readlink names the program, but stat and execve reach the emulator. */
static bool link_lies(const struct stat *self)
{
    static const char deleted[] = " (deleted)";
    long tail = sizeof(deleted) - 1, length;
    struct stat named;
    char path[1024];

    length = cua_syscall(SYS_readlinkat, AT_FDCWD, (long)SELF, (long)path, sizeof(path) - 1, 0, 0);
    if (length <= tail || length >= (long)sizeof(path) - 1)
        return false;
    path[length] = 0;
    if (cua_same(path + length - tail, deleted))
        return false;
    return cua_sys_stat(path, &named) == 0 && !same_file(&named, self);
}

/* Writes the note for the second run to `to`, and sets `file` to what is to be executed. */
static const char *choose_file(const struct cua_process *process, char *to, const char **file)
{
    struct stat self, named;
    char name[16] = "";

    cua_syscall(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0);
    to = cua_mempcpy(to, CUA_NOTE, sizeof(CUA_NOTE) - 1);
    *to++ = (char)('A' + cua_length(name));
    to = cua_mempcpy(to, name, cua_length(name) + 1);
    *file = (const char *)cua_process_aux(process->auxv, AT_EXECFN);
    if (cua_sys_stat(SELF, &self) < 0) {
        if (is_loader_started(process) || !*file || !looks_like_program(process, *file))
            return "without /proc the program's file is not known";
        return NULL;
    }
    /* Executed by its own name, the program sees the same AT_EXECFN. */
    if (*file && cua_sys_stat(*file, &named) == 0 && same_file(&named, &self))
        return NULL;
    if (link_lies(&self))
        return "the process runs under an emulator";
    /* ld.so sets it itself when it was started explicitly. */
    if (*file && !is_loader_started(process) && cua_length(*file) < LIST_MAX)
        cua_mempcpy(to - 1, *file, cua_length(*file) + 1);
    *file = SELF;
    return NULL;
}

/* ld.so removed its own arguments, but /proc/self/cmdline still has them. Reads at most ARGS_MAX
 * bytes of text and puts the pointers behind it. */
static char **read_arguments(char *text)
{
    char **argv = (char **)(void *)(text + ARGS_MAX), **next = argv;
    size_t have = cua_sys_read_file(CMDLINE, text, ARGS_MAX), at;

    if (!have || have == ARGS_MAX || text[have - 1])
        return NULL;
    for (at = 0; at < have; at += cua_length(text + at) + 1)
        *next++ = text + at;
    *next = NULL;
    return argv;
}

const char *cua_exec_prepare(struct cua_exec *exec, const struct cua_process *process)
{
    const char *preload = process->preload ? *process->preload : CUA_PRELOAD;
    bool by_loader = is_loader_started(process);
    size_t args = by_loader ? 0 : (size_t)process->argc;
    /* The kernel copied all strings behind env, the file's name last; ld.so has another name. */
    char *from = (char *)process->env, *end = (char *)cua_process_aux(process->auxv, AT_EXECFN);
    char *last = process->entries ? process->env[process->entries - 1] : NULL;
    char *copies, **entry;

    if (by_loader && last > end)
        end = last + cua_length(last) + 1;
    size_t strings = end > from ? (size_t)(end - from) : 0;
    exec->process = process;
    exec->env = NULL;
    if (cua_length(preload) >= STRING_MAX / 2)
        return "LD_PRELOAD is too long";
    exec->size = (process->entries + 3 + args + 1) * sizeof(char *) + STRING_MAX + strings;
    if (by_loader)
        exec->size += ARGS_MAX * (1 + sizeof(char *));
    exec->env = cua_sys_map(exec->size);
    if (!exec->env)
        return "there is no memory";
    exec->argv = exec->env + process->entries + 3;
    exec->text = (char *)(exec->argv + args + 1);
    cua_mempcpy(exec->text, preload, cua_length(preload));
    cua_mempcpy((char *)exec->env, (const char *)process->env, process->entries * sizeof(char *));
    cua_mempcpy((char *)exec->argv, (const char *)process->argv, args * sizeof(char *));
    copies = (char *)exec->env + exec->size - strings;
    cua_mempcpy(copies, from, strings);
    for (entry = exec->env; entry < exec->argv + args; entry++)
        if (*entry >= from && *entry < end)
            *entry = copies + (*entry - from);
    if (by_loader)
        exec->argv = read_arguments(exec->text + STRING_MAX);
    return exec->argv ? NULL : "the loader's own arguments cannot be read";
}

void cua_exec_drop(struct cua_exec *exec)
{
    cua_sys_unmap(exec->env, exec->size);
}

/* ld.so loads the entries of LD_PRELOAD before those of /etc/ld.so.preload. A hook there must stay
 * before the UMD, so the entries that were loaded are repeated before it; ld.so loads each only
 * once. An entry that could not be loaded is left out, or ld.so would complain twice. Writes at
 * most LIST_MAX bytes and returns their end; NULL if the file is too long. */
static char *repeat_file_list(char *to)
{
    char list[LIST_MAX], *from, *end;
    size_t size = cua_sys_read_file(FILE_LIST, list, LIST_MAX);
    bool comment = false;

    if (size == LIST_MAX)
        return NULL;
    end = list + size;
    *end = 0;
    for (from = list; from < end; from++) {
        comment = *from != '\n' && (comment || *from == '#');
        if (comment || *from == '\t' || *from == '\n' || *from == ':' || *from == ' ')
            *from = 0;
    }
    for (from = list; from < end; from += cua_length(from) + 1) {
        if (*from && cua_is_mapped(cua_file(from))) {
            to = cua_mempcpy(to, from, cua_length(from));
            *to++ = ':';
        }
    }
    return to;
}

/* ld.so complains about a preload that it cannot map, and goes on without it. */
static bool is_mappable(const char *umd)
{
    int fd = cua_sys_open(umd);
    void *code = fd < 0 ? NULL : cua_sys_map_file(fd, 1, PROT_READ | PROT_EXEC);

    cua_sys_unmap(code, 1);
    cua_sys_close(fd);
    return code;
}

/* ld.so would map that one as well, before ours, and both would be in use. */
static bool names_libcuda(const char *list)
{
    while (*list && !(cua_has("=: /", *list) && cua_starts(list + 1, "libcuda.so")))
        list++;
    return *list;
}

static const char *write_preload(struct cua_exec *exec, const char *umd)
{
    char *to = exec->text + cua_length(exec->text);

    if (cua_length(umd) >= LIST_MAX)
        return "its path is too long";
    to = cua_mempcpy(to, "::", 2);
    to = repeat_file_list(to);
    if (!to)
        return FILE_LIST " is too long";
    if (names_libcuda(exec->text))
        return "another libcuda is preloaded";
    cua_mempcpy(to, umd, cua_length(umd) + 1);
    return NULL;
}

const char *cua_exec_again(struct cua_exec *exec, const char *umd)
{
    const struct cua_process *process = exec->process;
    char **added = exec->env + process->entries;
    const char *file, *why;

    if (*umd != '/' || cua_has(umd, ' ') || cua_has(umd, ':') || cua_has(umd, '$'))
        return "LD_PRELOAD cannot hold a path with a space, a colon or a dollar sign";
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
    cua_syscall(SYS_execve, (long)file, (long)exec->argv, (long)exec->env, 0, 0, 0);
    return "execve was refused";
}
