/* SPDX-License-Identifier: Apache-2.0 */
/* An entry is the full question followed by the answer. Some answers can change while boot and
 * container stay the same: no device yet, fabric manager not ready, no answer. These expire after a
 * minute, which is long enough for processes that start together. */
#include "trial/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "base/whole.h"
#include "machine/cachedir.h"
#include "machine/subject.h"
#include "trial/child.h"
#include "trial/report.h"

#define CUA_ENTRY         (sizeof(((struct cua_trial_key *)0)->text) + CUA_CHILD_REPORT)
#define CUA_BRIEF_SECONDS 60
#define CUA_REMEMBERED    8

__attribute__((format(printf, 2, 3))) static bool add(struct cua_trial_key *q, const char *format,
                                                      ...)
{
    size_t room = sizeof(q->text) - q->length;
    va_list args;

    va_start(args, format);
    int n = vsnprintf(q->text + q->length, room, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= room)
        return false;
    /* A newline in a value would begin another line, so a value could forge a key: write '?'
     * instead. */
    for (int i = 0; i + 1 < n; i++)
        if (q->text[q->length + (size_t)i] == '\n')
            q->text[q->length + (size_t)i] = '?';
    q->length += (size_t)n;
    return true;
}

static bool add_env(struct cua_trial_key *q, const struct cua_settings *settings, const char *name)
{
    const char *value = cua_settings_env(settings, name);

    return add(q, "%s%s%s\n", name, value ? "=" : "", value ? value : "");
}

/* The NVIDIA device nodes that this process can open, counted and hashed without regard to their
 * order. They are part of the question because two jobs of one user may have different GPUs, and
 * /proc does not show which. */
struct nodes {
    const char *folder;
    unsigned count;
    uint64_t hash;
};

static int add_node(void *data, const char *name, unsigned char type)
{
    struct nodes *nodes = data;
    char path[PATH_MAX];

    (void)type;
    if (!cua_starts(name, "nvidia") || !cua_join(path, sizeof(path), nodes->folder, name) ||
        !cua_subject_may_open(&cua_here, path))
        return 0;
    nodes->count++;
    nodes->hash += cua_hash(path);
    return 0;
}

static bool add_nodes(struct cua_trial_key *q)
{
    struct nodes nodes = {.folder = "/dev"};

    cua_subject_list(&cua_here, nodes.folder, add_node, &nodes);
    nodes.folder = "/dev/nvidia-caps"; /* the nodes of MIG instances */
    cua_subject_list(&cua_here, nodes.folder, add_node, &nodes);
    return add(q, "nodes %u %016llx\n", nodes.count, (unsigned long long)nodes.hash);
}

void cua_trial_key_make(struct cua_trial_key *q, const struct cua_trial_request *request)
{
    char epoch[64];
    struct stat st;

    q->limit = request->limit;
    q->name[0] = '\0';
    cua_cachedir_epoch(epoch, sizeof(epoch));
    if (!epoch[0] || cua_stat(q->file, &st) != 0)
        return;
    q->length = 0;
    bool ok =
        add(q, "cuarbiter-%s 4\n", q->gpus ? "nvml" : "trial") && add(q, "epoch %s\n", epoch) &&
        add(q, "kmd %s\n", request->kmd) && add_nodes(q) &&
        add(q, "file %llu %llu %lld %lld.%09ld %lld.%09ld\n", (unsigned long long)st.st_dev,
            (unsigned long long)st.st_ino, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
            st.st_mtim.tv_nsec, (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec) &&
        (q->gpus || (add_env(q, request->settings, "CUDA_VISIBLE_DEVICES") &&
                     add_env(q, request->settings, "CUDA_DEVICE_ORDER")));
    for (size_t i = 0; ok && i < request->gpus; i++)
        ok = add(q, "gpu %s %s\n", request->gpu[i].uuid, request->gpu[i].pci);
    /* The name is a hash of the text. Readers compare the text too, so a collision costs a trial
     * but never gives the answer to another question. */
    if (ok)
        snprintf(q->name, sizeof(q->name), "trial-%016llx", (unsigned long long)cua_hash(q->text));
}

static bool is_lasting(const struct cua_trial *trial, const struct cua_trial_answers *answers)
{
    return trial->how == CUA_TRIAL_RAN &&
           (answers ? trial->code == 0 && answers->gpus > 0
                    : trial->code == 0 || trial->code == 803 || trial->code == 804);
}

/* Whether an entry has not expired. `written`: when it was written. */
static bool is_fresh(time_t written)
{
    struct timespec now = {0};

    clock_gettime(CLOCK_REALTIME, &now);
    return written <= now.tv_sec && now.tv_sec - written < CUA_BRIEF_SECONDS;
}

/* Parses an entry. False if it is incomplete, answers another question or has expired. */
static bool parse(const struct cua_trial_key *q, char *entry, time_t written)
{
    struct cua_trial found;
    char *end;

    if (strncmp(entry, q->text, q->length) != 0 || !cua_starts(entry + q->length, "limit "))
        return false;
    unsigned long limit = strtoul(entry + q->length + strlen("limit "), &end, 10);
    if (!cua_trial_lines(&found, q->gpus, end) || found.how == CUA_TRIAL_UNTRIED ||
        !(is_lasting(&found, q->gpus) || is_fresh(written)) ||
        (found.how == CUA_TRIAL_TIMEOUT && limit < q->limit))
        return false;
    *q->trial = found;
    return true;
}

static char *print(const struct cua_trial_key *q)
{
    size_t n = q->length, more = 1;
    char *entry = malloc(CUA_ENTRY);

    if (!entry)
        return NULL;
    memcpy(entry, q->text, n);
    n += (size_t)snprintf(entry + n, CUA_ENTRY - n, "limit %u\n", q->limit);
    for (size_t i = 0; q->gpus && more && i < q->gpus->gpus; i++)
        n += more = cua_trial_print_gpu(&q->gpus->gpu[i], entry + n, CUA_ENTRY - n);
    if (more)
        n += more = cua_trial_print(q->trial, entry + n, CUA_ENTRY - n);
    if (!more || n + sizeof(CUA_CHILD_END) > CUA_ENTRY) {
        free(entry);
        return NULL;
    }
    memcpy(entry + n, CUA_CHILD_END, sizeof(CUA_CHILD_END));
    return entry;
}

/* This process's own entries, used if there is no cache folder. Hold the lock to access them. */
static struct memory {
    char *entry;
    time_t written;
} memory[CUA_REMEMBERED];

static void remember(struct memory *place, char *entry)
{
    struct timespec now = {0};
    char *old = place->entry;

    clock_gettime(CLOCK_REALTIME, &now);
    /* Store the new entry before freeing the old one: another thread may fork in between, and the
     * child must not find a freed entry here. */
    place->entry = entry;
    place->written = now.tv_sec;
    free(old);
}

bool cua_answers_find(int folder, bool kept, const struct cua_trial_key *q)
{
    const struct memory *place;
    time_t written = 0;
    char *entry = NULL;
    struct stat st;

    if (!q->name[0]) /* no key could be made, and `text` is incomplete */
        return false;
    place = &memory[cua_hash(q->text) % CUA_REMEMBERED];
    if (kept) {
        int fd = openat(folder, q->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd >= 0 && cua_fstat(fd, &st) == 0)
            written = st.st_mtim.tv_sec;
        entry = cua_whole(fd, CUA_ENTRY, NULL);
    } else if (place->entry) {
        written = place->written;
        entry = strdup(place->entry);
    }
    bool found = entry && parse(q, entry, written);
    free(entry);
    return found;
}

void cua_answers_keep(int folder, bool kept, const struct cua_trial_key *q)
{
    char *entry = q->name[0] ? print(q) : NULL;

    if (!entry)
        return;
    if (!kept) {
        remember(&memory[cua_hash(q->text) % CUA_REMEMBERED], entry);
        return;
    }
    cua_cachedir_tidy(folder);
    cua_cachedir_put(folder, q->name, entry, strlen(entry));
    free(entry);
}

bool cua_answers_room(int folder)
{
    char name[32], *room = calloc(1, CUA_ENTRY);

    snprintf(name, sizeof(name), "room.%ld", (long)syscall(SYS_gettid));
    bool ok = room && cua_cachedir_put(folder, name, room, CUA_ENTRY) == 0;
    if (ok)
        unlinkat(folder, name, 0);
    free(room);
    return ok;
}

/* Called for each name in /proc: opens /proc/PID/fd of the first process whose descriptors this
 * user may list, which is pid 1 if that belongs to the same user. This folder is locked if there is
 * no cache folder. */
static int open_first(void *fd, const char *name, unsigned char type)
{
    char path[48];

    (void)type;
    if (name[0] < '1' || name[0] > '9')
        return 0;
    snprintf(path, sizeof(path), "/proc/%.20s/fd", name);
    int opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *(int *)fd = opened < 0 ? -errno : opened;
    return opened >= 0;
}

int cua_answers_open(const struct cua_settings *settings, bool *kept)
{
    int folder = cua_cachedir_open(cua_settings_env(settings, "XDG_RUNTIME_DIR"), true);

    *kept = folder >= 0;
    if (folder < 0)
        cua_subject_list(&cua_here, "/proc", open_first, &folder);
    return folder;
}
