/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "machine/asker.h"
#include "machine/cachedir.h"
#include "machine/report.h"
#include "cuarbiter/frame.h"
#include "cuarbiter/names.h"
#include "cuarbiter/stderr.h"
#include "base/escape.h"
#include "base/oldstat.h"
#include "base/policy.h"
#include "base/text.h"
#include "machine/site.h"

#define CUA_REMEMBER  64
#define CUA_LINE      1024
#define CUA_LINE_MOST 8192
#define OPEN_FLAGS    (O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

static const char *const levels[] = {"error", "warn", "info", "debug"};

static struct output {
    enum cua_level level;
    bool json;
    bool folder;        /* `file` is a folder */
    char *file;         /* NULL: standard error */
    char *runtime;      /* XDG_RUNTIME_DIR; NULL: not set */
    const char *policy; /* the policy's name, as in CUARBITER_POLICY */
    char host[65];
} chosen;
static _Atomic int ready; /* whether `chosen` is valid. 0: not yet; 1: being written; 2: valid */

/* Hashes of the warnings that are not to be given again, each at the index hash % CUA_REMEMBER; 0:
 * none. If two warnings have the same index, the later one replaces the other, which may then be
 * given again. */
static _Atomic unsigned warned[CUA_REMEMBER];

static const struct output *output(void)
{
    static const struct output first = {.level = CUA_LOG_WARN, .policy = "auto"};

    return atomic_load(&ready) == 2 ? &chosen : &first;
}

static void name_host(struct output *to)
{
    struct utsname host;

    if (cua_call_kernel(SYS_uname, (long)&host, 0, 0, 0) == 0)
        cua_copy(to->host, sizeof(to->host), host.nodename);
    for (char *c = to->host; (c = strchr(c, '/'));)
        *c = '_';
}

void cua_log_setup(const struct cua_settings *settings, const struct cua_site *site)
{
    int expected = 0, saved = errno;
    struct stat st;

    if (!atomic_compare_exchange_strong(&ready, &expected, 1))
        return;
    const char *name = cua_site_value(site, settings, CUA_ENV_LOG, NULL);
    const char *format = cua_site_value(site, settings, CUA_ENV_LOG_FORMAT, NULL);
    const char *file = cua_site_value(site, settings, CUA_ENV_LOG_FILE, NULL);
    const char *policy = cua_site_value(site, settings, CUA_ENV_POLICY, NULL);
    const char *runtime = cua_settings_env(settings, "XDG_RUNTIME_DIR");
    int kind = policy ? cua_policy_find(policy) : CUA_POLICY_AUTO;
    int level = name ? cua_find(levels, sizeof(levels) / sizeof(*levels), name) : CUA_LOG_WARN;

    chosen.level = level < 0 ? CUA_LOG_WARN : (enum cua_level)level;
    kind = site->disabled || kind < 0 ? CUA_POLICY_OFF : kind;
    chosen.policy = cua_policies[kind];
    chosen.file = file && *file ? cua_asker_path(file) : NULL;
    chosen.folder = chosen.file && cua_stat(chosen.file, &st) == 0 && S_ISDIR(st.st_mode);
    chosen.json = format && strcmp(format, "json") == 0;
    chosen.runtime = runtime ? strdup(runtime) : NULL;
    if (chosen.json || chosen.folder)
        name_host(&chosen);
    atomic_store(&ready, 2);
    if (level < 0)
        cua_log(CUA_LOG_WARN, "bad-value", "%s=%s is not error, warn, info or debug: warn is used",
                CUA_ENV_LOG, name);
    if (format && !chosen.json && strcmp(format, "text") != 0)
        cua_log(CUA_LOG_WARN, "bad-value", "%s=%s is neither text nor json, and is ignored",
                CUA_ENV_LOG_FORMAT, format);
    errno = saved;
}

bool cua_log_wanted(enum cua_level level)
{
    return level <= output()->level;
}

/* Refuses a log file that leads to one of the answerer's pipes for the shim's question and the
 * answer (log.h), because a log line would damage the answer. It then closes `fd` and returns -1.
 * For any other file, returns `fd`. */
static int refuse_own(int fd)
{
    struct stat st, own;

    if (fd < 0 || !cua_asker.pid || cua_fstat(fd, &st) != 0 || !S_ISFIFO(st.st_mode) ||
        ((cua_fstat(CUA_FD_ANSWER, &own) != 0 || own.st_ino != st.st_ino) &&
         (cua_fstat(CUA_FD_QUESTION, &own) != 0 || own.st_ino != st.st_ino)))
        return fd;
    close(fd);
    return -1;
}

/* Opens the log file. Returns a descriptor; -1 if no file is set, or it cannot or must not be
 * opened. If a log folder is set, opens this user's file in it: `path` receives the path of this
 * file, *size its size. Other users may write to that folder, so links are not followed, and the
 * file must belong to this user and have no other hard links. */
static int open_file(const struct output *to, char *path, size_t *size)
{
    struct stat st;

    *size = 0;
    if (!to->folder)
        return to->file ? refuse_own(open(to->file, O_WRONLY | OPEN_FLAGS, 0644)) : -1;
    snprintf(path, CUA_LINE_MOST, "%s/%s-%u.jsonl", to->file, to->host, (unsigned)geteuid());
    int fd = open(path, O_RDWR | OPEN_FLAGS | O_NOFOLLOW, 0644);
    if (fd < 0 || cua_fstat(fd, &st) != 0)
        return fd;
    *size = (size_t)st.st_size;
    if (S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1)
        return fd;
    close(fd);
    return -1;
}

static pid_t pid_of_asker(void)
{
    return cua_asker.pid ? cua_asker.pid : getpid();
}

static bool takes_lines(void)
{
    return cua_asker.pid ? cua_asker.line != NULL
                         : cua_stderr_takes_lines(STDERR_FILENO, cua_call_kernel);
}

static bool write_stderr(const char *line, size_t size)
{
    if (!cua_asker.pid)
        return cua_write_at_once(STDERR_FILENO, line, size, cua_call_kernel);
    cua_asker.line(line, size);
    return true;
}

/* Writes the time (UTC) in the form of RFC 3339. gmtime_r is not used, because it reads files and
 * takes a lock. */
static void time_now(char *text, size_t size)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    struct timespec now = {0};
    unsigned year = 1970, month = 0, leap, length;

    clock_gettime(CLOCK_REALTIME, &now);
    unsigned day = (unsigned)(now.tv_sec / 86400), second = (unsigned)(now.tv_sec % 86400);
    for (; leap = year % 4 == 0, day >= 365 + leap; year++) /* correct until 2100 */
        day -= 365 + leap;
    for (; length = days[month] + (month == 1 ? leap : 0), day >= length; month++)
        day -= length;
    snprintf(text, size, "%u-%02u-%02uT%02u:%02u:%02u.%03uZ", year, month + 1, day + 1,
             second / 3600, second / 60 % 60, second % 60, (unsigned)(now.tv_nsec / 1000000));
}

/* Adds a JSON member to the line, with its value cut to less than CUA_LINE bytes; NULL becomes
 * null. Returns the new length of the line. */
static size_t add_text(char *line, size_t at, const char *name, const char *text)
{
    at +=
        (size_t)snprintf(line + at, 32, "%c\"%s\":%s", at ? ',' : '{', name, text ? "\"" : "null");
    if (!text)
        return at;
    at += cua_escape(line + at, CUA_LINE, text, CUA_ESCAPE_JSON);
    line[at++] = '"';
    return at;
}

static size_t add_number(char *line, size_t at, const char *name, long number)
{
    return at + (size_t)snprintf(line + at, 48, number < 0 ? ",\"%s\":null" : ",\"%s\":%ld", name,
                                 number);
}

/* Writes the line to `line`, as docs/log.schema.json describes it. Returns its length. */
static size_t print_json(char *line, const struct output *to, enum cua_level level,
                         const char *code, const char *sentence, const struct cua_choice *choice)
{
    char time[48], own[CUA_LINE];
    const char *exe = cua_asker.exe;

    time_now(time, sizeof(time));
    if (!cua_asker.pid) {
        ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
        own[length < 0 ? 0 : length] = '\0';
        exe = own;
    }
    size_t at = add_text(line, 0, "time", time);
    at = add_text(line, at, "host", to->host);
    at = add_number(line, at, "pid", pid_of_asker());
    at = add_number(line, at, "uid", geteuid());
    at = add_text(line, at, "exe", exe[0] ? exe : NULL);
    at = add_text(line, at, "policy", to->policy);
    at = add_text(line, at, "level", levels[level]);
    at = add_text(line, at, "code", code);
    if (choice) {
        at = add_text(line, at, "reason", choice->reason);
        at = add_text(line, at, "from", choice->from);
        at = add_text(line, at, "to", choice->to);
        at = add_number(line, at, "without", choice->without);
        if (choice->cuda) {
            at = add_text(line, at, "cuda", choice->cuda);
            at = add_text(line, at, "kmd", choice->kmd);
            at = add_text(line, at, "gpus", choice->gpus);
        }
    }
    at = add_text(line, at, "message", sentence);
    return at + (size_t)snprintf(line + at, 3, "}\n");
}

static size_t print_text(char *line, enum cua_level level, const char *code, const char *sentence)
{
    size_t at = (size_t)snprintf(line, CUA_LINE, "cuarbiter[%d]: %s: %s: ", (int)pid_of_asker(),
                                 levels[level], code);

    at += cua_escape(line + at, 2 * CUA_LINE, sentence, CUA_ESCAPE_TEXT);
    return at + (size_t)snprintf(line + at, 2, "\n");
}

/* Whether the last line of a file in the log folder lacks its end, because a full disk has cut it.
 * A line behind it would be lost, too. */
static bool is_cut(int fd, size_t size)
{
    char last;

    return size && pread(fd, &last, 1, (off_t)size - 1) == 1 && last != '\n';
}

/* Writes one line to the log file, or to stderr if no file is set or it cannot be opened. If a log
 * folder is set, a line with a `choice` never goes to stderr. Returns whether the line was written,
 * or was dropped because the file in the log folder is full. */
static bool write_line(enum cua_level level, const char *code, const char *sentence,
                       const struct cua_choice *choice)
{
    const struct output *to = output();
    char *start = malloc(1 + CUA_LINE_MOST), *line;
    bool written, cut;
    size_t size;

    if (!start)
        return false;
    start[0] = '\n'; /* written only if the line before is cut */
    line = start + 1;
    int fd = open_file(to, line, &size);
    cut = to->folder && fd >= 0 && is_cut(fd, size);
    written = to->folder && size > CUA_LOG_FOLDER_MOST;
    if (!written && (fd >= 0 || (takes_lines() && !(to->folder && choice)))) {
        size = to->json || (to->folder && fd >= 0)
                   ? print_json(line, to, level, code, sentence, choice)
                   : print_text(line, level, code, sentence);
        written = fd < 0 ? write_stderr(line, size)
                         : cua_write_at_once(fd, line - cut, size + cut, cua_call_kernel);
    }
    if (fd >= 0)
        close(fd);
    free(start);
    return written;
}

/* Gives a warning at most once per process; the table `warned` ensures this. If `each` is false,
 * also gives it at most once per container and user; a file in the cache folder (cachedir.h), if
 * that can be used, ensures this. */
static void warn_once(const char *code, const char *sentence, const struct cua_choice *choice,
                      bool each)
{
    unsigned mine = (unsigned)(cua_hash(code) ^ cua_hash(sentence));
    _Atomic unsigned *place = &warned[mine % CUA_REMEMBER];
    char epoch[64] = "", name[NAME_MAX];
    bool given = false;

    if (atomic_exchange(place, mine) == mine)
        return;
    if (!each)
        cua_cachedir_epoch(epoch, sizeof(epoch));
    snprintf(name, sizeof(name), "warned-%s-%08x", epoch, mine);
    int folder = epoch[0] ? cua_cachedir_open(output()->runtime, true) : -1;
    if (folder >= 0) {
        int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        given = fd < 0 && errno == EEXIST;
        if (fd >= 0)
            close(fd);
        if (!given)
            cua_cachedir_tidy(folder);
    }
    /* A warning that could not be written does not count as given, so the next attempt may
     * succeed. */
    if (!given && !write_line(CUA_LOG_WARN, code, sentence, choice)) {
        atomic_store(place, 0);
        if (folder >= 0)
            unlinkat(folder, name, 0);
    }
    if (folder >= 0)
        close(folder);
}

void cua_log_recall(unsigned warning)
{
    atomic_store(&warned[warning % CUA_REMEMBER], warning);
}

unsigned cua_log_given(size_t *at)
{
    while (*at < CUA_REMEMBER) {
        unsigned warning = atomic_load(&warned[(*at)++]);
        if (warning)
            return warning;
    }
    return 0;
}

bool cua_log_collects(void)
{
    return output()->folder || cua_report_wanted();
}

/* Sends the line to the node's collector (report.h). A failure is ignored. */
static void report(enum cua_level level, const char *code, const char *sentence,
                   const struct cua_choice *choice)
{
    struct output to = *output();
    char *line = malloc(CUA_LINE_MOST);

    name_host(&to);
    if (line)
        cua_report_send(line, print_json(line, &to, level, code, sentence, choice));
    free(line);
}

void cua_log_choice(enum cua_level level, const char *code, const char *sentence,
                    const struct cua_choice *choice)
{
    const struct cua_choice *rest = output()->folder ? NULL : choice;
    int saved = errno;

    if (choice && cua_report_wanted())
        report(level, code, sentence, choice);
    if (choice != rest && write_line(level, code, sentence, choice))
        level = CUA_LOG_DEBUG + 1;
    /* If the log's level is info or debug, a repeated warning is written each time. */
    if (!cua_log_wanted(level))
        ; /* it was written to the log folder above, or is below the log's level */
    else if (level == CUA_LOG_WARN && !cua_log_wanted(CUA_LOG_INFO))
        warn_once(code, sentence, rest, false);
    else
        write_line(level, code, sentence, rest);
    errno = saved;
}

/* Writes the sentence to `text`. One that does not fit ends in "...". */
__attribute__((format(printf, 3, 0))) static void print_sentence(char *text, size_t size,
                                                                 const char *format, va_list args)
{
    int length = vsnprintf(text, size, format, args);

    if (length >= (int)size)
        strcpy(text + size - 4, "...");
}

void cua_log(enum cua_level level, const char *code, const char *format, ...)
{
    char sentence[768];
    va_list args;

    if (!cua_log_wanted(level))
        return;
    va_start(args, format);
    print_sentence(sentence, sizeof(sentence), format, args);
    va_end(args);
    cua_log_choice(level, code, sentence, NULL);
}

void cua_log_each(const char *code, const char *format, ...)
{
    int saved = errno;
    char sentence[768];
    va_list args;

    if (!cua_log_wanted(CUA_LOG_WARN))
        return;
    va_start(args, format);
    print_sentence(sentence, sizeof(sentence), format, args);
    va_end(args);
    warn_once(code, sentence, NULL, true);
    errno = saved;
}
