/* SPDX-License-Identifier: Apache-2.0 */
#include "command/doctor/watch.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "base/listing.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "base/whole.h"

#define SEEN_MOST   2000 /* most programs that are remembered */
#define LOOKED_MOST 4000 /* most processes and threads that are read in one look */
#define DEPTH_MOST  64
#define SOONEST     200    /* least microseconds between two looks */
#define LATEST      100000 /* most microseconds between two looks */
/* The next look comes after a fiftieth of the time since the first look, within these limits. */
#define PER_LOOK 50

struct sight {
    struct cua_watch *watch;
    /* stat() of cuarbiter's own executable. Processes that run it are not reported: doctor's child
     * before its execve, and helpers that try a driver (trial/). */
    struct stat own;
    int left, depth;
    pid_t pid;
    const char *parents; /* the program that the parent of `pid` runs */
};

/* Reads argv[0] of a process. Used if /proc/PID/exe cannot be read, because the process belongs to
 * another user or has ended. */
static bool read_word(pid_t pid, char *program, size_t size)
{
    char path[64];
    size_t length = 0;

    snprintf(path, sizeof(path), "/proc/%ld/cmdline", (long)pid);
    char *words = cua_whole_file(path, 1u << 20, &length);
    bool found = words && length > 0;
    if (found)
        snprintf(program, size, "%s", words);
    free(words);
    return found;
}

static const struct cua_watched *latest(const struct cua_watch *watch, pid_t pid)
{
    for (size_t i = watch->count; i > 0; i--)
        if (watch->seen[i - 1].pid == pid)
            return &watch->seen[i - 1];
    return NULL;
}

/* Reads which program the process sight->pid runs. False if it cannot be read. Also false for
 * processes that are not reported: those that run cuarbiter's own executable, and the answerer,
 * which chooses a libcuda for the shim. */
static bool read_program(const struct sight *sight, char *program, size_t size)
{
    char path[64];
    struct stat st;

    snprintf(path, sizeof(path), "/proc/%ld/exe", (long)sight->pid);
    ssize_t length = readlink(path, program, size - 1);
    program[length < 0 ? 0 : length] = '\0';
    if (length < 0)
        return read_word(sight->pid, program, size);
    if (strcmp(cua_basename(program), CUA_FILE_ANSWERER) == 0)
        return false;
    return cua_stat(path, &st) || st.st_dev != sight->own.st_dev || st.st_ino != sight->own.st_ino;
}

/* Records the program. Skips it if it is the last one recorded for this process, or if the parent
 * runs it too. Until a forked child calls execve, it runs its parent's program, with the same
 * libraries mapped. */
static void take(struct sight *sight, const char *program)
{
    struct cua_watch *watch = sight->watch;
    const struct cua_watched *known = latest(watch, sight->pid);

    if (strcmp(program, sight->parents) == 0 || (known && strcmp(known->program, program) == 0) ||
        watch->count == SEEN_MOST)
        return;
    enum cua_unreached why = cua_unreached_find(sight->pid);
    if (why == CUA_STARTING)
        return; /* the kernel has not set the program up yet; the next look will judge it */
    struct cua_watched *more = realloc(watch->seen, (watch->count + 1) * sizeof(*more));
    if (!more)
        return;
    watch->seen = more;
    more[watch->count] =
        (struct cua_watched){.pid = sight->pid, .program = strdup(program), .why = why};
    watch->count += more[watch->count].program != NULL;
}

static void look_at(struct sight *sight, pid_t pid, const char *parents);

/* Called for each thread of a process. Looks at the children that the thread has started.
 * /proc/PID/task/TID/children lists them (proc(5)), for example "12 13 ". */
static int each_thread(void *data, const char *name, unsigned char type)
{
    const struct sight *above = data;
    struct sight *sight = data;
    char path[96], *end;
    const pid_t pid = above->pid;
    const char *parents = above->parents;

    (void)type;
    if (*name == '.')
        return 0;
    snprintf(path, sizeof(path), "/proc/%ld/task/%.20s/children", (long)pid, name);
    char *text = cua_whole_file(path, 1u << 20, NULL);
    for (char *at = text; at && sight->left-- > 0; at = end) {
        pid_t child = (pid_t)strtol(at, &end, 10);
        if (end == at)
            break;
        look_at(sight, child, parents);
        sight->pid = pid;
        sight->parents = parents;
    }
    free(text);
    return sight->left <= 0;
}

static void look_at(struct sight *sight, pid_t pid, const char *parents)
{
    char program[PATH_MAX], path[64];

    if (sight->depth == DEPTH_MOST)
        return;
    sight->pid = pid;
    sight->parents = parents;
    if (read_program(sight, program, sizeof(program)))
        take(sight, program);
    snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
    sight->parents = program;
    sight->depth++;
    cua_list(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), each_thread, sight);
    sight->depth--;
}

static long since(const struct timespec *from, const struct timespec *now)
{
    return (now->tv_sec - from->tv_sec) * 1000000 + (now->tv_nsec - from->tv_nsec) / 1000;
}

long cua_watch_look(struct cua_watch *watch)
{
    struct sight sight = {.watch = watch, .left = LOOKED_MOST};
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!watch->started.tv_sec)
        watch->started = watch->next = now;
    long wait = since(&now, &watch->next);
    if (wait > 0)
        return wait;
    if (cua_stat("/proc/self/exe", &sight.own) == 0)
        look_at(&sight, watch->command, "");
    wait = since(&watch->started, &now) / PER_LOOK;
    wait = wait < SOONEST ? SOONEST : wait > LATEST ? LATEST : wait;
    clock_gettime(CLOCK_MONOTONIC, &watch->next);
    watch->next.tv_nsec += wait * 1000;
    watch->next.tv_sec += watch->next.tv_nsec / 1000000000;
    watch->next.tv_nsec %= 1000000000;
    return wait;
}

void cua_watch_free(struct cua_watch *watch)
{
    for (size_t i = 0; i < watch->count; i++)
        free(watch->seen[i].program);
    free(watch->seen);
}
