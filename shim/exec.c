/* SPDX-License-Identifier: Apache-2.0 */
/* The second exec: executes the program again, with the right libcuda (the UMD, `umd`) preloaded.
 * The program's arguments and environment stay the same, except for two additions to the
 * environment. At the end of LD_PRELOAD come the entries of /etc/ld.so.preload and the UMD. The
 * last entry is the note, a text for the shim of the second run (process.h). That shim removes both
 * before the program sees them. */
#include "exec.h"
#include "objects.h"
#include "syscalls.h"
#include "text.h"

#define SELF      "/proc/self/exe"
#define CMDLINE   "/proc/self/cmdline"
#define FILE_LIST "/etc/ld.so.preload"
#define LIST_MAX  4096
/* Limit for one string of the environment: the kernel's MAX_ARG_STRLEN. */
#define STRING_MAX (128 * 1024)
#define ARGS_MAX   (2 * 1024 * 1024)

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether the kernel started ld.so itself, which then loaded the program. */
static bool is_loader_started(const struct cua_process *process)
{
    return !cua_process_aux(process->auxv, AT_BASE);
}

/* Whether a file is the running program, for systems without /proc: compares the first 2048 bytes,
 * which include headers and build ID, with memory. */
static bool looks_like_program(const struct cua_process *process, const char *path)
{
    const char *memory = (const char *)cua_process_aux(process->auxv, AT_PHDR);
    char bytes[2048];
    size_t size = 0, i = 0;

    /* The start of the file lies in memory directly before AT_PHDR only if the program headers
     * follow the ELF header. patchelf may move them elsewhere; then nothing can be compared. */
    if ((uintptr_t)memory % 4096 == sizeof(ElfW(Ehdr)))
        size = cua_sys_read_file(path, bytes, sizeof(bytes));
    while (i < size && bytes[i] == memory[i - sizeof(ElfW(Ehdr))])
        i++;
    return i == sizeof(bytes);
}

/* Whether /proc/self/exe misleads: under an emulator (qemu-user) readlink returns the program's
 * path, but stat and execve reach the emulator. `self`: what stat returned for the link. False if
 * the link's target was deleted or is too long to compare. */
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

/* Writes the note for the second run to `to`, and sets `file` to the file to execute. Returns NULL,
 * or why no file can be chosen. */
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
    /* Prefer the name that the program was started by, because then AT_EXECFN stays the same. */
    if (*file && cua_sys_stat(*file, &named) == 0 && same_file(&named, &self))
        return NULL;
    if (link_lies(&self))
        return "the process runs under an emulator";
    /* With SELF the new AT_EXECFN would be "/proc/self/exe", so add the old value to the note. If
     * ld.so itself was executed, that is not needed: ld.so sets AT_EXECFN. */
    if (*file && !is_loader_started(process) && cua_length(*file) < LIST_MAX)
        cua_mempcpy(to - 1, *file, cua_length(*file) + 1);
    *file = SELF;
    return NULL;
}

/* For a program that was started by executing ld.so: reads the arguments from /proc/self/cmdline,
 * because ld.so has removed its own arguments from argv. `text` has room for ARGS_MAX bytes and,
 * after them, for the pointers. Returns NULL if the command line is not readable or too long. */
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

/* What execve gets. */
struct again {
    /* A new array, with room for two more entries. Its strings are not copied: they are the
     * program's own, except those that lie in `text`. */
    char **env;
    /* The program's own arguments. If ld.so was executed: a copy of all of ld.so's arguments from
     * /proc/self/cmdline, or NULL if that cannot be read. */
    char **argv;
    char *text;  /* the LD_PRELOAD entry for the second run, then the note (process.h) */
    size_t size; /* the size of the whole mapping, which begins at `env` */
};

static const char *prepare(struct again *again, const struct cua_process *process)
{
    const char *preload = process->preload ? *process->preload : CUA_PRELOAD;
    const bool by_loader = is_loader_started(process);
    const size_t entries = process->entries + 3;

    again->env = NULL;
    if (cua_length(preload) >= STRING_MAX / 2)
        return "LD_PRELOAD is too long";
    again->size = entries * sizeof(char *) + STRING_MAX;
    if (by_loader)
        again->size += ARGS_MAX * (1 + sizeof(char *));
    again->env = cua_sys_map(again->size);
    if (!again->env)
        return "there is no memory";
    again->text = (char *)(again->env + entries);
    cua_mempcpy(again->text, preload, cua_length(preload));
    cua_mempcpy((char *)again->env, (const char *)process->env, process->entries * sizeof(char *));
    again->argv = by_loader ? read_arguments(again->text + STRING_MAX) : process->argv;
    return again->argv ? NULL : "the arguments of ld.so, which started the program, cannot be read";
}

static bool is_mapped(const char *file)
{
    const struct link_map *map = cua_objects();

    while (map && !cua_object_called(map, file))
        map = cua_object_next(map);
    return map;
}

/* Repeats the entries of /etc/ld.so.preload in LD_PRELOAD, before the UMD. ld.so loads the
 * libraries of LD_PRELOAD first, but a library in /etc/ld.so.preload that intercepts CUDA calls
 * must come before the UMD. ld.so loads a library that is in both lists only once. Writes at most
 * LIST_MAX bytes to `to` and returns the end of the text; NULL if the file is too long. */
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
        /* Leave out an entry that could not be loaded: ld.so would complain about it again. */
        if (*from && is_mapped(cua_file(from))) {
            to = cua_mempcpy(to, from, cua_length(from));
            *to++ = ':';
        }
    }
    return to;
}

/* Whether ld.so could map the UMD as code. This is checked before execve, because ld.so complains
 * about a preload that it cannot map, and starts the program without it. */
static bool is_mappable(const char *umd)
{
    int fd = cua_sys_open(umd);
    void *code = fd < 0 ? NULL : cua_sys_map_file(fd, 1, PROT_READ | PROT_EXEC);

    cua_sys_unmap(code, 1);
    cua_sys_close(fd);
    return code;
}

/* Whether `list`, the new LD_PRELOAD, names a libcuda already. ld.so would map that libcuda before
 * the UMD, and both would be in use. */
static bool names_libcuda(const char *list)
{
    while (*list && !(cua_has("=: /", *list) && cua_starts(list + 1, "libcuda.so")))
        list++;
    return *list;
}

static const char *write_preload(struct again *again, const char *umd)
{
    char *to = again->text + cua_length(again->text);

    if (cua_length(umd) >= LIST_MAX)
        return "the path of that libcuda is too long";
    if (names_libcuda(again->text))
        return "LD_PRELOAD names another libcuda already";
    to = cua_mempcpy(to, "::", 2);
    to = repeat_file_list(to);
    if (!to)
        return FILE_LIST " is too long";
    if (names_libcuda(again->text))
        return FILE_LIST " names another libcuda already";
    cua_mempcpy(to, umd, cua_length(umd) + 1);
    return NULL;
}

static const char *execute(const struct again *again, const struct cua_process *process)
{
    char **added = again->env + process->entries;
    const char *file, *why;

    added[0] = again->text;
    added[1] = again->text + cua_length(again->text) + 1;
    if (process->preload) {
        again->env[process->preload - process->env] = again->text;
        added[0] = added[1] - 1; /* an empty entry: the NUL at the end of the text */
    }
    why = choose_file(process, added[1], &file);
    if (why)
        return why;
    cua_syscall(SYS_execve, (long)file, (long)again->argv, (long)again->env, 0, 0, 0);
    return "the kernel refused execve";
}

const char *cua_exec_again(const struct cua_process *process, const char *umd)
{
    struct again again = {.env = NULL};
    const char *why;

    if (*umd != '/' || cua_has(umd, ' ') || cua_has(umd, ':') || cua_has(umd, '$'))
        return "LD_PRELOAD cannot hold a path with a space, a colon or a dollar sign";
    if (!is_mappable(umd))
        return "that file cannot be mapped as code (is its mount noexec?)";
    why = prepare(&again, process);
    if (!why)
        why = write_preload(&again, umd);
    if (!why)
        why = execute(&again, process);
    cua_sys_unmap(again.env, again.size);
    return why;
}
