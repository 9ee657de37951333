/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "machine/cachedir.h"
#include "cuarbiter/names.h"
#include "cuarbiter/stderr.h"
#include "base/escape.h"
#include "base/text.h"
#include "machine/safe_write.h"
#include "machine/site.h"

#define CUA_LINE     1024
#define CUA_REMEMBER 64

static const char *const levels[] = {"error", "warn", "info", "debug"};

static struct output {
    enum cua_level level;
    bool json;
    char *file;    /* NULL: standard error */
    char *runtime; /* XDG_RUNTIME_DIR; NULL: not set */
} chosen;
static _Atomic int ready; /* 0 not yet, 1 being chosen, 2 done */

/* Hashes of the warnings that this process has given. Lossy when full: then one comes twice. */
static _Atomic unsigned warned[CUA_REMEMBER];

static long call(long number, long a, long b, long c)
{
    return syscall(number, a, b, c);
}

static const struct output *output(void)
{
    static const struct output first = {.level = CUA_LOG_WARN};

    return atomic_load(&ready) == 2 ? &chosen : &first;
}

void cua_log_setup(const struct cua_settings *settings, const struct cua_site *site)
{
    struct cua_site own = {.text = NULL};
    int expected = 0, saved = errno;

    if (!atomic_compare_exchange_strong(&ready, &expected, 1))
        return;
    if (!site)
        cua_site_read(&own);
    site = site ? site : &own;
    const char *name = cua_site_value(site, settings, CUA_ENV_LOG, NULL);
    const char *format = cua_site_value(site, settings, CUA_ENV_LOG_FORMAT, NULL);
    const char *file = cua_site_value(site, settings, CUA_ENV_LOG_FILE, NULL);
    const char *runtime = cua_settings_env(settings, "XDG_RUNTIME_DIR");
    int level = name ? cua_find(levels, sizeof(levels) / sizeof(*levels), name) : CUA_LOG_WARN;

    chosen.level = level < 0 ? CUA_LOG_WARN : (enum cua_level)level;
    chosen.json = format && strcmp(format, "json") == 0;
    chosen.file = file && *file ? strdup(file) : NULL;
    chosen.runtime = runtime ? strdup(runtime) : NULL;
    atomic_store(&ready, 2);
    if (level < 0)
        cua_log(CUA_LOG_WARN, "bad-value",
                "%s=%s is none of error, warn, info, debug: warn is used", CUA_ENV_LOG, name);
    if (format && !chosen.json && strcmp(format, "text") != 0)
        cua_log(CUA_LOG_WARN, "bad-value", "%s=%s is neither text nor json: text is used",
                CUA_ENV_LOG_FORMAT, format);
    cua_site_release(&own);
    errno = saved;
}

bool cua_log_wanted(enum cua_level level)
{
    return level <= output()->level;
}

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    while (*s)
        h = h * 33 + (unsigned char)*s++;
    return h ? h : 1;
}

static int format_line(char *line, size_t size, enum cua_level level, const char *code,
                       const char *sentence)
{
    bool json = output()->json;
    char escaped[CUA_LINE + CUA_LINE / 2];
    struct timespec now = {0};

    cua_escape(escaped, sizeof(escaped), sentence, json ? CUA_ESCAPE_JSON : CUA_ESCAPE_TEXT);
    if (!json)
        return snprintf(line, size, "cuarbiter[%d]: %s: %s: %s\n", (int)getpid(), levels[level],
                        code, escaped);
    clock_gettime(CLOCK_REALTIME, &now);
    return snprintf(line, size,
                    "{\"time\":%lld.%03ld,\"pid\":%d,\"level\":\"%s\",\"code\":\"%s\","
                    "\"message\":\"%s\"}\n",
                    (long long)now.tv_sec, now.tv_nsec / 1000000, (int)getpid(), levels[level],
                    code, escaped);
}

/* A line is not worth the program: where writing it would wait (a full pipe, a stopped terminal) it
 * is dropped. The file's descriptor is not kept: programs close and reuse them behind our back. */
static bool write_line(enum cua_level level, const char *code, const char *sentence)
{
    const char *file = output()->file;
    struct timespec now = {0};
    char line[2 * CUA_LINE];
    int n = format_line(line, sizeof(line), level, code, sentence);
    int fd = -1;

    if (file)
        fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
    struct pollfd room = {.fd = fd < 0 ? STDERR_FILENO : fd, .events = POLLOUT};
    bool written = (fd >= 0 || cua_stderr_takes_lines(STDERR_FILENO, call)) &&
                   syscall(SYS_ppoll, &room, 1, &now, NULL, 0) == 1 && room.revents == POLLOUT &&
                   cua_safe_write(room.fd, line, (size_t)n);
    if (fd >= 0)
        close(fd);
    return written;
}

/* Once a process by the table, once a container by a file in the cache folder. */
static void warn_once(const char *code, const char *sentence)
{
    unsigned mine = hash(code) ^ hash(sentence);
    _Atomic unsigned *place = &warned[mine % CUA_REMEMBER];
    char epoch[64], name[NAME_MAX];
    bool given = false;

    if (atomic_exchange(place, mine) == mine)
        return;
    cua_cachedir_epoch(epoch, sizeof(epoch));
    snprintf(name, sizeof(name), "warned-%s-%08x", epoch, mine);
    int folder = epoch[0] ? cua_cachedir_open(output()->runtime) : -1;
    if (folder >= 0) {
        int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        given = fd < 0 && errno == EEXIST;
        if (fd >= 0)
            close(fd);
        if (!given)
            cua_cachedir_tidy(folder);
    }
    /* A line that was not written is none that was given: the next one may reach somebody. */
    if (!given && !write_line(CUA_LOG_WARN, code, sentence)) {
        atomic_store(place, 0);
        if (folder >= 0)
            unlinkat(folder, name, 0);
    }
    if (folder >= 0)
        close(folder);
}

void cua_log(enum cua_level level, const char *code, const char *format, ...)
{
    char sentence[CUA_LINE - 256];
    int saved = errno;
    va_list args;

    if (!cua_log_wanted(level))
        return;
    va_start(args, format);
    vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    /* At info and above, do not deduplicate. */
    if (level != CUA_LOG_WARN || cua_log_wanted(CUA_LOG_INFO))
        write_line(level, code, sentence);
    else
        warn_once(code, sentence);
    errno = saved;
}
