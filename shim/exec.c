/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second exec. The kernel gives a new process all that it gave this one; what has to be added
 * for ld.so, and for the second run, stands in LD_PRELOAD and is gone before the program sees it.
 */
#include "boot.h"
#include "objects.h"
#include "syscalls.h"
#include "text.h"
#include "trail.h"

#define SELF      "/proc/self/exe"
#define PRELOAD   "LD_PRELOAD="
#define CMDLINE   "/proc/self/cmdline"
#define FILE_LIST "/etc/ld.so.preload"
#define LIST_MAX  4096
/* One string of env must stay under the kernel's MAX_ARG_STRLEN. */
#define STRING_MAX (128 * 1024)
#define ARGS_MAX   (8 * 1024 * 1024)

static const char no_arguments[] = "the loader's own arguments cannot be read";

struct plan {
    const char *file;
    size_t args; /* of an explicit loader */
    uint64_t args_size;
    struct cua_trail trail;
    void *memory; /* env, argv, its text, LD_PRELOAD */
    size_t size;
    char **env;
    char **argv;
    char *preload;
};

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int first_object(struct dl_phdr_info *object, size_t size, void *arg)
{
    (void)size;
    *(struct dl_phdr_info *)arg = *object;
    return 1;
}

/* Without /proc: the file's first bytes, headers and build-id among them, are those in memory. */
static bool looks_like_program(const char *path)
{
    struct dl_phdr_info program;
    const char *memory = NULL;
    char bytes[512];
    uint64_t size = 0, at = 0;
    long got, i;
    int fd;

    dl_iterate_phdr(first_object, &program);
    for (i = 0; i < program.dlpi_phnum && !memory; i++) {
        if (program.dlpi_phdr[i].p_type != PT_LOAD || program.dlpi_phdr[i].p_offset)
            continue;
        memory = (const char *)(program.dlpi_addr + program.dlpi_phdr[i].p_vaddr);
        size = program.dlpi_phdr[i].p_filesz;
    }
    if (!memory || size < sizeof(bytes))
        return false;
    fd = cua_sys_open(path);
    if (fd < 0)
        return false;
    for (; at < 2048 && at + sizeof(bytes) <= size; at += sizeof(bytes)) {
        got = cua_sys_pread(fd, bytes, sizeof(bytes), at);
        for (i = 0; i < got && bytes[i] == memory[at + (uint64_t)i]; i++)
            ;
        if (i < (long)sizeof(bytes))
            break;
    }
    cua_sys_close(fd);
    return at >= sizeof(bytes) && (at >= 2048 || at + sizeof(bytes) > size);
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

static const char *choose_file(const struct cua_boot *boot, struct plan *plan)
{
    struct stat self, named;

    if (cua_sys_stat(SELF, &self) < 0) {
        if (boot->explicit_loader || !boot->file || !looks_like_program(boot->file))
            return "the program's file cannot be told without /proc";
        plan->file = boot->file;
        return NULL;
    }
    /* By its own name: comm and AT_EXECFN then come out as they are. */
    if (boot->file && cua_sys_stat(boot->file, &named) == 0 && same_file(&named, &self)) {
        plan->file = boot->file;
        return NULL;
    }
    if (link_lies(&self))
        return "the process runs under an emulator";
    plan->file = SELF;
    if (cua_sys_prctl(PR_GET_NAME, plan->trail.name) == 0)
        plan->trail.what |= CUA_TRAIL_NAME;
    /* ld.so sets it itself when it was started explicitly. */
    if (boot->file && !boot->explicit_loader && cua_length(boot->file) < LIST_MAX) {
        plan->trail.what |= CUA_TRAIL_FILE;
        plan->trail.file = boot->file;
    }
    return NULL;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* ld.so has moved its own arguments away; /proc/self/cmdline still has them. */
static bool measure_arguments(struct plan *plan)
{
    long got = 1, i;
    char bytes[512];
    int fd = cua_sys_open(CMDLINE);

    if (fd < 0)
        return false;
    while (plan->args_size < ARGS_MAX) {
        got = cua_sys_pread(fd, bytes, sizeof(bytes), plan->args_size);
        if (got <= 0)
            break;
        for (i = 0; i < got; i++)
            plan->args += !bytes[i];
        plan->args_size += (uint64_t)got;
    }
    cua_sys_close(fd);
    return got == 0 && plan->args;
}

static bool read_arguments(struct plan *plan)
{
    char *text = (char *)(plan->argv + plan->args + 1);
    uint64_t have = 0;
    size_t i;
    long got;
    int fd = cua_sys_open(CMDLINE);

    if (fd < 0)
        return false;
    while (have < plan->args_size) {
        got = cua_sys_pread(fd, text + have, plan->args_size - have, have);
        if (got <= 0)
            break;
        have += (uint64_t)got;
    }
    cua_sys_close(fd);
    if (have != plan->args_size || text[have - 1])
        return false;
    for (i = 0; i < plan->args; i++, text += cua_length(text) + 1)
        plan->argv[i] = text;
    return true;
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
        if (*from && cua_object_mapped(cua_file(from, cua_length(from)))) {
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

static const char *write_preload(const struct cua_boot *boot, struct plan *plan, const char *umd)
{
    const char *old = boot->preload ? *boot->preload : PRELOAD;
    size_t old_length = cua_length(old), umd_length = cua_length(umd);
    char *to = plan->preload;

    if (old_length + 2 + LIST_MAX + umd_length + cua_trail_length(&plan->trail) >= STRING_MAX)
        return "LD_PRELOAD is too long";
    to = cua_put(to, old, old_length);
    to = cua_put(to, "::", 2);
    to = repeat_file_list(to);
    if (!to)
        return FILE_LIST " is too long";
    to = cua_put(to, umd, umd_length);
    to = cua_trail_write(to, &plan->trail);
    *to = 0;
    return NULL;
}

static void write_env(const struct cua_boot *boot, struct plan *plan)
{
    size_t i;

    for (i = 0; i < boot->entries; i++)
        plan->env[i] = boot->env + i == boot->preload ? plan->preload : boot->env[i];
    if (!boot->preload) {
        plan->env[i++] = plan->preload;
        /* Empty; see remove_entries. */
        plan->env[i++] = plan->preload + cua_length(plan->preload);
    }
    plan->env[i] = NULL;
}

static const char *run(struct cua_boot *boot, struct plan *plan, const char *umd)
{
    const char *why;

    plan->env = plan->memory;
    plan->argv = plan->env + boot->entries + 3;
    plan->preload = (char *)(plan->argv + plan->args + 1) + plan->args_size;
    why = write_preload(boot, plan, umd);
    if (why)
        return why;
    write_env(boot, plan);
    if (!boot->explicit_loader)
        plan->argv = boot->argv;
    else if (!read_arguments(plan))
        return no_arguments;
    cua_sys_execve(plan->file, plan->argv, plan->env);
    return "execve was refused";
}

const char *cua_exec_again(struct cua_boot *boot, const char *umd)
{
    struct plan plan;
    const char *why;
    size_t i;

    plan.args = plan.args_size = 0;
    plan.trail.what = boot->preload ? 0 : CUA_TRAIL_ADDED;
    for (i = 0; i < CUA_TRAIL_NAME_MAX; i++)
        plan.trail.name[i] = 0;
    plan.trail.file = NULL;
    if (!is_sayable(umd))
        return "a path with a space, a colon or a dollar sign cannot stand in LD_PRELOAD";
    why = choose_file(boot, &plan);
    if (why)
        return why;
    if (boot->explicit_loader && !measure_arguments(&plan))
        return no_arguments;
    plan.size = (boot->entries + 3 + plan.args + 1) * sizeof(char *) + plan.args_size + STRING_MAX;
    plan.memory = cua_sys_map(plan.size);
    if (!plan.memory)
        return "there is no memory";
    why = run(boot, &plan, umd);
    cua_sys_unmap(plan.memory, plan.size);
    return why;
}
