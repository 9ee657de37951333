/* SPDX-License-Identifier: Apache-2.0 */
/* Fills in a struct cua_subject for another process, from its /proc/PID. */
#include "command/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/text.h"
#include "base/whole.h"
#include "loader/ldso_args.h"
#include "machine/site.h"
#include "machine/subject.h"

/* Limit for an environment, and for auxv and cmdline. Since Linux 4.13 arguments and environment
 * together are at most 6 MiB, whatever the stack limit is. */
#define MAX_ENVIRON (8u << 20)
/* Limit for /proc/PID/maps: 256 bytes per line if there are 65,530 mappings, the default of
 * vm.max_map_count. */
#define MAX_MAPS (16u << 20)

static bool same_link(const char *a, const char *b)
{
    char x[PATH_MAX], y[PATH_MAX];
    ssize_t n = readlink(a, x, sizeof x), m = readlink(b, y, sizeof y);

    return n > 0 && n == m && memcmp(x, y, (size_t)n) == 0;
}

/* Finds the path that leads to the root of a process: /proc/PID/root; "" if the process has the
 * same root and mount namespace as this one. */
static void find_root(pid_t pid, char *out, size_t size)
{
    char root[64], mounts[64];

    snprintf(root, sizeof root, "/proc/%ld/root", (long)pid);
    snprintf(mounts, sizeof mounts, "/proc/%ld/ns/mnt", (long)pid);
    if (same_link(root, "/proc/self/root") && same_link(mounts, "/proc/self/ns/mnt"))
        out[0] = 0;
    else
        cua_copy(out, size, root);
}

/* Whether the kernel loaded no interpreter for the program that it executed (AT_BASE is 0). There
 * are two such cases: ld.so itself was executed, with the program as its argument; or the program
 * is static. */
static bool starts_by_loader(pid_t pid)
{
    char path[64];
    size_t size = 0;
    bool direct = false;

    snprintf(path, sizeof path, "/proc/%ld/auxv", (long)pid);
    unsigned long *pair = (unsigned long *)(void *)cua_whole_file(path, MAX_ENVIRON, &size);
    for (size_t i = 0; pair && (i + 2) * sizeof *pair <= size && pair[i]; i += 2)
        direct |= pair[i] == AT_BASE && !pair[i + 1];
    free(pair);
    return direct;
}

/* The value of --library-path, if the process was started as `ld.so --library-path LIST PROGRAM`;
 * else NULL. To be freed. */
static char *find_told(pid_t pid)
{
    char path[64], *words;
    const char *told;
    size_t size;

    if (!starts_by_loader(pid))
        return NULL;
    snprintf(path, sizeof path, "/proc/%ld/cmdline", (long)pid);
    words = cua_whole_file(path, MAX_ENVIRON, &size);
    told = words ? cua_ldso_args_path(words, size) : NULL;
    char *copy = told ? strdup(told) : NULL;
    free(words);
    return copy;
}

/* Puts environment and root of a subject into one block of memory: first the pointers to the
 * variables and NULL, then the root's path, then the text of the variables. `text`: that text, as
 * in /proc/PID/environ. NULL: no memory. */
static char *pack(const char *text, size_t size, const char *root)
{
    size_t count = 0, at = 0;
    char **env, *names, *block;

    for (size_t i = 0; i < size; i++)
        count += text[i] == 0;
    count += size && text[size - 1] != 0;
    block = malloc((count + 1) * sizeof *env + PATH_MAX + size + 1);
    if (!block)
        return NULL;
    env = (char **)(void *)block;
    cua_copy(block + (count + 1) * sizeof *env, PATH_MAX, root);
    names = block + (count + 1) * sizeof *env + PATH_MAX;
    memcpy(names, text, size + 1);
    for (size_t i = 0; i < count; i++) {
        env[i] = names + at;
        at += strlen(names + at) + 1;
    }
    env[count] = NULL;
    return block;
}

char *cua_process_file(char *line)
{
    char *at = strpbrk(line, "/[");

    return at && *at == '/' ? at : NULL;
}

/* Returns the paths of the files that the process has mapped, then NULL, all in one block; NULL if
 * they cannot be read. Leaves out files that were deleted. */
static char **find_mapped(pid_t pid)
{
    char path[64], *line;
    size_t size, lines = 1, count = 0;

    snprintf(path, sizeof path, "/proc/%ld/maps", (long)pid);
    char *text = cua_whole_file(path, MAX_MAPS, &size);
    for (size_t i = 0; text && i < size; i++)
        lines += text[i] == '\n';
    char **files = text ? malloc((lines + 1) * sizeof *files + size + 1) : NULL;
    char *rest = files ? memcpy(files + lines + 1, text, size + 1) : NULL;
    while ((line = strsep(&rest, "\n"))) {
        char *file = cua_process_file(line);
        /* A deleted file cannot be opened. Its name ends in " (deleted)". */
        if (file && !cua_ends(file, " (deleted)"))
            files[count++] = file;
    }
    if (files)
        files[count] = NULL;
    free(text);
    return files;
}

int cua_subject_of_process(struct cua_subject *subject, pid_t pid)
{
    char root[PATH_MAX], path[64];
    size_t size, count = 0;

    snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
    char *text = cua_whole_file(path, MAX_ENVIRON, &size);
    if (!text)
        return errno == ENOENT ? -ESRCH : -errno;
    find_root(pid, root, sizeof root);
    subject->owned = pack(text, size, root);
    free(text);
    if (!subject->owned)
        return -ENOMEM;
    subject->pid = pid;
    subject->mapped = find_mapped(pid);
    subject->env = (char *const *)(void *)subject->owned;
    subject->told = find_told(pid);
    subject->library_path =
        subject->told ? subject->told : cua_subject_env(subject, "LD_LIBRARY_PATH");
    while (subject->env[count])
        count++;
    subject->sysroot = subject->owned + (count + 1) * sizeof *subject->env;
    return 0;
}

void cua_subject_release(struct cua_subject *subject)
{
    free(subject->owned);
    free(subject->told);
    free(subject->mapped);
    subject->told = NULL;
    subject->mapped = NULL;
    subject->owned = NULL;
    subject->env = NULL;
    subject->library_path = NULL;
    subject->sysroot = "";
}

const char *cua_process_setting(char *const *env, size_t *at, const char **value)
{
    while (env[*at]) {
        const char *entry = env[(*at)++];
        for (size_t i = 0; i < CUA_SITE_KEYS; i++) {
            size_t length = strlen(cua_site_keys[i]);
            if (strncmp(entry, cua_site_keys[i], length) != 0 || entry[length] != '=')
                continue;
            *value = entry + length + 1;
            return cua_site_keys[i];
        }
    }
    return NULL;
}
