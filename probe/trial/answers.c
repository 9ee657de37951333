/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An entry is the question in full, then the answer. What may change while boot and container live
 * (no device yet, the fabric manager not ready, no answer) holds a minute, long enough for
 * processes that start together.
 */
#include "trial/answers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "machine/cachedir.h"
#include "machine/put.h"
#include "trial/child.h"
#include "trial/report.h"

#define CUA_ENTRY         (sizeof(((struct cua_question *)0)->text) + CUA_CHILD_REPORT)
#define CUA_BRIEF_SECONDS 60
#define CUA_REMEMBERED    8

static bool add(struct cua_question *q, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool add(struct cua_question *q, const char *format, ...)
{
    size_t room = sizeof(q->text) - q->length;
    va_list args;

    va_start(args, format);
    int n = vsnprintf(q->text + q->length, room, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= room)
        return false;
    /* Whatever a value holds, a line stays one. */
    for (int i = 0; i + 1 < n; i++)
        if (q->text[q->length + (size_t)i] == '\n')
            q->text[q->length + (size_t)i] = '?';
    q->length += (size_t)n;
    return true;
}

/* FNV-1a; the text is compared, so a collision costs a trial and nothing else. */
static uint64_t hash(const char *s)
{
    uint64_t h = 14695981039346656037ULL;

    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211ULL;
    return h;
}

static bool add_env(struct cua_question *q, const struct cua_settings *settings, const char *name)
{
    const char *value = cua_settings_env(settings, name);

    return add(q, "%s%s%s\n", name, value ? "=" : "", value ? value : "");
}

bool cua_question_make(struct cua_question *q, const struct cua_trial_request *request,
                       const char *file, bool nvml)
{
    char epoch[64];
    struct stat st;

    q->length = 0;
    q->limit = request->limit;
    cua_cachedir_epoch(epoch, sizeof(epoch));
    if (!epoch[0] || cua_stat(file, &st) != 0)
        return false;
    bool ok =
        add(q, "cuarbiter-%s 3\n", nvml ? "nvml" : "trial") && add(q, "epoch %s\n", epoch) &&
        add(q, "kmd %s\n", request->kmd) &&
        add(q, "file %llu %llu %lld %lld.%09ld %lld.%09ld\n", (unsigned long long)st.st_dev,
            (unsigned long long)st.st_ino, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
            st.st_mtim.tv_nsec, (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec) &&
        (nvml || (add_env(q, request->settings, "CUDA_VISIBLE_DEVICES") &&
                  add_env(q, request->settings, "CUDA_DEVICE_ORDER")));
    for (size_t i = 0; ok && i < request->gpus; i++)
        ok = add(q, "gpu %s %s\n", request->gpu[i].uuid, request->gpu[i].pci);
    snprintf(q->name, sizeof(q->name), "trial-%016llx", (unsigned long long)hash(q->text));
    return ok;
}

static bool is_lasting(const struct cua_trial *trial, const struct cua_trial_answers *answers)
{
    if (answers)
        return trial->how == CUA_TRIAL_RAN && trial->code == 0 && answers->gpus > 0;
    return trial->how == CUA_TRIAL_RAN &&
           (trial->code == 0 || trial->code == 803 || trial->code == 804);
}

/* `written`: when. */
static bool is_fresh(time_t written)
{
    struct timespec now = {0};

    clock_gettime(CLOCK_REALTIME, &now);
    return written <= now.tv_sec && now.tv_sec - written < CUA_BRIEF_SECONDS;
}

/* Takes an entry apart. False unless it is whole, answers this question and still holds. */
static bool parse(const struct cua_question *q, char *entry, time_t written,
                  struct cua_trial *trial, struct cua_trial_answers *answers)
{
    char *end;

    if (strncmp(entry, q->text, q->length) != 0 || !cua_starts(entry + q->length, "limit "))
        return false;
    unsigned long limit = strtoul(entry + q->length + strlen("limit "), &end, 10);
    cua_trial_clear(trial);
    if (answers)
        answers->gpus = 0;
    return cua_trial_lines(trial, answers, end) && trial->how != CUA_TRIAL_UNTRIED &&
           (is_lasting(trial, answers) || is_fresh(written)) &&
           (trial->how != CUA_TRIAL_TIMEOUT || limit >= q->limit);
}

static char *print(const struct cua_question *q, const struct cua_trial *trial,
                   const struct cua_trial_answers *answers)
{
    size_t n = q->length, more = 1;
    char *entry = malloc(CUA_ENTRY);

    if (!entry)
        return NULL;
    memcpy(entry, q->text, n);
    n += (size_t)snprintf(entry + n, CUA_ENTRY - n, "limit %u\n", q->limit);
    for (size_t i = 0; answers && more && i < answers->gpus; i++)
        n += more = cua_trial_print_gpu(&answers->gpu[i], entry + n, CUA_ENTRY - n);
    if (more)
        n += more = cua_trial_print(trial, entry + n, CUA_ENTRY - n);
    if (!more || n + sizeof(CUA_CHILD_END) > CUA_ENTRY) {
        free(entry);
        return NULL;
    }
    memcpy(entry + n, CUA_CHILD_END, sizeof(CUA_CHILD_END));
    return entry;
}

/* Without a folder: what this process found out. Under the lock. */
static struct {
    char *entry;
    time_t written;
} remembered[CUA_REMEMBERED];

static bool recall(const struct cua_question *q, struct cua_trial *trial,
                   struct cua_trial_answers *answers)
{
    size_t place = hash(q->text) % CUA_REMEMBERED;
    char *copy = remembered[place].entry ? strdup(remembered[place].entry) : NULL;
    bool found = copy && parse(q, copy, remembered[place].written, trial, answers);

    free(copy);
    return found;
}

static void remember(const struct cua_question *q, char *entry)
{
    size_t place = hash(q->text) % CUA_REMEMBERED;
    struct timespec now = {0};
    char *old = remembered[place].entry;

    clock_gettime(CLOCK_REALTIME, &now);
    /* In this order: another thread may fork meanwhile. */
    remembered[place].entry = entry;
    remembered[place].written = now.tv_sec;
    free(old);
}

bool cua_answers_find(int folder, bool kept, const struct cua_question *q, struct cua_trial *trial,
                      struct cua_trial_answers *answers)
{
    struct stat st;
    bool found = false;

    if (!kept)
        return recall(q, trial, answers);
    int fd = openat(folder, q->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    char *entry = malloc(CUA_ENTRY + 1);
    if (entry && cua_fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        ssize_t n = read(fd, entry, CUA_ENTRY);
        entry[n > 0 ? n : 0] = '\0';
        found = parse(q, entry, st.st_mtim.tv_sec, trial, answers);
    }
    free(entry);
    close(fd);
    return found;
}

void cua_answers_keep(int folder, bool kept, const struct cua_question *q,
                      const struct cua_trial *trial, const struct cua_trial_answers *answers)
{
    char *entry = print(q, trial, answers);

    if (!entry)
        return;
    if (!kept) {
        remember(q, entry);
        return;
    }
    cua_cachedir_tidy(folder);
    cua_put_entry(folder, q->name, entry, strlen(entry));
    free(entry);
}

bool cua_answers_room(int folder)
{
    char name[32], *room = calloc(1, CUA_ENTRY);

    snprintf(name, sizeof(name), "room.%ld", (long)syscall(SYS_gettid));
    bool ok = room && cua_put_entry(folder, name, room, CUA_ENTRY) == 0;
    if (ok)
        unlinkat(folder, name, 0);
    free(room);
    return ok;
}

int cua_answers_open(const struct cua_settings *settings, bool *kept)
{
    int folder = cua_cachedir_open(cua_settings_env(settings, "XDG_RUNTIME_DIR"));

    *kept = folder >= 0;
    if (folder < 0)
        folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder < 0 ? -errno : folder;
}

int cua_answers_lock(int folder)
{
    return flock(folder, LOCK_EX | LOCK_NB) == 0 ? 0 : -errno;
}

/* A child that another thread forked meanwhile holds the descriptor too; closing ours would leave
 * the lock to it. */
void cua_answers_unlock(int folder)
{
    flock(folder, LOCK_UN);
}
