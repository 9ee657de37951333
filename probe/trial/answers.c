/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file a question in the cache folder: the question in full, then the answer. What is stable
 * holds for this boot and container; what may change while they live (no device yet, the fabric
 * manager not ready, no answer) holds a minute, long enough for processes that start together.
 */
#include "trial/answers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "machine/cachedir.h"
#include "machine/put.h"
#include "drivers/identity.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "trial/trial.h"
#include "trial/report.h"
#include "facts/facts.h"

#define CUA_QUESTION      4096
#define CUA_ENTRY         (CUA_QUESTION + 1024)
#define CUA_BRIEF_SECONDS 60
#define CUA_NAP_MS        10

struct question {
    char text[CUA_QUESTION]; /* lines of `key value`; the first one names the format */
    size_t length;
    char name[32]; /* of the entry: a hash of the text */
    unsigned timeout;
};

static bool add(struct question *q, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool add(struct question *q, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int n = vsnprintf(q->text + q->length, sizeof(q->text) - q->length, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof(q->text) - q->length)
        return false;
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

/* A value of the environment, on one line. */
static bool add_env(struct question *q, const struct cua_settings *settings, const char *name)
{
    const char *value = cua_settings_env(settings, name);
    size_t from = q->length;

    if (!add(q, "%s%s%s\n", name, value ? " " : "", value ? value : ""))
        return false;
    for (char *p = q->text + from; *p && p[1]; p++)
        if (*p == '\n')
            *p = '?';
    return true;
}

/* False where it cannot be asked in a way that tells this machine and moment from others. */
static bool make_question(struct question *q, const struct cua_facts *facts,
                          const struct cua_umd *umd, const struct cua_settings *settings,
                          bool contexts)
{
    char epoch[64], id[CUA_BUILD_ID];
    struct stat st;

    q->length = 0;
    cua_cachedir_epoch(epoch, sizeof(epoch));
    if (!epoch[0] || cua_stat(umd->real, &st) != 0)
        return false;
    bool ok =
        add(q, "cuarbiter-trial 1\n") && add(q, "epoch %s\n", epoch) &&
        add(q, "kmd %s\n", facts->kmd.version.text) &&
        add(q, "umd %llu %llu %lld %lld.%09ld %s\n", (unsigned long long)st.st_dev,
            (unsigned long long)st.st_ino, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
            st.st_mtim.tv_nsec, cua_identity_build_id(umd, &cua_here, id)) &&
        add(q, "contexts %d\n", contexts) && add_env(q, settings, "CUDA_VISIBLE_DEVICES") &&
        add_env(q, settings, "CUDA_DEVICE_ORDER");
    for (size_t i = 0; ok && i < facts->gpu_count; i++) {
        const struct cua_gpu *gpu = &facts->gpus[i];
        if (gpu->visible)
            ok = add(q, "gpu %s %s %s\n", gpu->uuid, gpu->pci, gpu->model);
    }
    snprintf(q->name, sizeof(q->name), "trial-%016llx", (unsigned long long)hash(q->text));
    return ok;
}

/* What the kernel driver says of this pair does not change while it is loaded. */
static bool is_stable(const struct cua_trial *trial)
{
    return trial->how == CUA_TRIAL_RAN &&
           (trial->code == 0 || trial->code == 803 || trial->code == 804);
}

static bool is_fresh(const struct stat *st)
{
    struct timespec now = {0};

    clock_gettime(CLOCK_REALTIME, &now);
    return st->st_mtim.tv_sec <= now.tv_sec && now.tv_sec - st->st_mtim.tv_sec < CUA_BRIEF_SECONDS;
}

/* Takes an entry apart. False unless it is whole and answers this question. */
static bool parse_entry(const struct question *q, char *entry, struct cua_trial *trial,
                        unsigned *timeout)
{
    bool whole = false;
    char *rest, *line;

    if (strncmp(entry, q->text, q->length) != 0)
        return false;
    cua_trial_clear(trial);
    *timeout = 0;
    rest = entry + q->length;
    while ((line = strsep(&rest, "\n")) && rest) {
        if (cua_starts(line, "timeout "))
            *timeout = (unsigned)strtoul(line + strlen("timeout "), NULL, 10);
        else if (strcmp(line, "end") == 0)
            whole = true;
        else
            cua_trial_line(trial, line);
    }
    return whole && trial->how != CUA_TRIAL_BROKEN &&
           (trial->how == CUA_TRIAL_TIMEOUT || trial->code >= 0);
}

static bool look_up(int folder, const struct question *q, struct cua_trial *trial)
{
    char entry[CUA_ENTRY];
    struct stat st;
    unsigned timeout;
    bool found = false;
    int fd = openat(folder, q->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0)
        return false;
    if (cua_fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        ssize_t n = read(fd, entry, sizeof(entry) - 1);
        entry[n > 0 ? n : 0] = '\0';
        found = parse_entry(q, entry, trial, &timeout) && (is_stable(trial) || is_fresh(&st)) &&
                (trial->how != CUA_TRIAL_TIMEOUT || timeout >= q->timeout);
    }
    close(fd);
    return found;
}

static void store(int folder, const struct question *q, const struct cua_trial *trial)
{
    char entry[CUA_ENTRY];
    size_t n = q->length;

    memcpy(entry, q->text, n);
    n += (size_t)snprintf(entry + n, sizeof(entry) - n, "timeout %u\n", q->timeout);
    size_t more = cua_trial_print(trial, entry + n, sizeof(entry) - n);
    n += more;
    if (more == 0 || n + sizeof("end\n") > sizeof(entry))
        return;
    memcpy(entry + n, "end\n", sizeof("end\n"));
    n += sizeof("end\n") - 1;
    if (cua_put_entry(folder, q->name, entry, n) == 0)
        cua_cachedir_tidy(folder);
}

static long long now_ms(void)
{
    struct timespec now = {0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whoever holds the lock runs the same trial; what it may take is known. -1 where there is no
 * getting it: then this process tries for itself. */
static int lock(int folder, const struct question *q)
{
    char name[sizeof(q->name) + 8];
    const struct timespec nap = {0, CUA_NAP_MS * 1000000L};
    long long deadline = now_ms() + (q->timeout + 3) * 1000LL;

    snprintf(name, sizeof(name), "%s.lock", q->name);
    int fd = openat(folder, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0)
        return -1;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || now_ms() >= deadline) {
            close(fd);
            return -1;
        }
        /* Not nanosleep(), which is a cancellation point. */
        syscall(SYS_ppoll, NULL, 0, &nap, NULL, 0);
    }
    return fd;
}

/* A child that another thread forked meanwhile holds the descriptor too; closing ours would leave
 * the lock to it. */
static void unlock(int fd)
{
    if (fd < 0)
        return;
    flock(fd, LOCK_UN);
    close(fd);
}

static int cached(struct cua_trial *trial, const struct question *q, int folder,
                  const struct cua_umd *umd, const struct cua_settings *settings, bool contexts)
{
    if (look_up(folder, q, trial))
        return 0;
    int fd = lock(folder, q), err = 0;
    if (fd < 0 || !look_up(folder, q, trial)) {
        err = cua_trial_run(trial, settings, umd->real, q->timeout, contexts);
        if (!err && trial->how != CUA_TRIAL_BROKEN)
            store(folder, q, trial);
    }
    unlock(fd);
    return err;
}

int cua_trial_cached(struct cua_trial *trial, const struct cua_facts *facts,
                     const struct cua_umd *umd, const struct cua_settings *settings,
                     unsigned timeout, bool contexts)
{
    int saved = errno;
    struct question *q = malloc(sizeof(*q));
    int folder = -1, err;

    cua_trial_clear(trial);
    if (q && make_question(q, facts, umd, settings, contexts)) {
        q->timeout = timeout;
        folder = cua_cachedir_open(cua_settings_env(settings, "XDG_RUNTIME_DIR"));
    }
    if (folder >= 0) {
        err = cached(trial, q, folder, umd, settings, contexts);
        close(folder);
    } else {
        err = cua_trial_run(trial, settings, umd->real, timeout, contexts);
    }
    free(q);
    errno = saved;
    return err;
}
