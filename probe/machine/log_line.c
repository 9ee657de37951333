/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/log_line.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"

#define CUA_LINE 1024

/* RFC 3339. Not by gmtime_r, which reads files and takes a lock. */
static void time_now(char *text, size_t size)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    struct timespec now = {0};
    unsigned year = 1970, month = 0, leap, length;

    clock_gettime(CLOCK_REALTIME, &now);
    unsigned day = (unsigned)(now.tv_sec / 86400), second = (unsigned)(now.tv_sec % 86400);
    for (; leap = year % 4 == 0, day >= 365 + leap; year++) /* until 2100 */
        day -= 365 + leap;
    for (; length = days[month] + (month == 1 ? leap : 0), day >= length; month++)
        day -= length;
    snprintf(text, size, "%u-%02u-%02uT%02u:%02u:%02u.%03uZ", year, month + 1, day + 1,
             second / 3600, second / 60 % 60, second % 60, (unsigned)(now.tv_nsec / 1000000));
}

/* One member more, of at most CUA_LINE bytes; NULL: null. Returns the length of the line. */
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

size_t cua_line_json(char *line, const struct cua_line *it)
{
    char time[48], exe[CUA_LINE];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

    time_now(time, sizeof(time));
    exe[length < 0 ? 0 : length] = '\0';
    size_t at = add_text(line, 0, "time", time);
    at = add_text(line, at, "host", it->host);
    at = add_number(line, at, "pid", getpid());
    at = add_number(line, at, "uid", geteuid());
    at = add_text(line, at, "exe", length < 0 ? NULL : exe);
    at = add_text(line, at, "policy", it->policy);
    at = add_text(line, at, "level", it->level);
    at = add_text(line, at, "code", it->code);
    if (it->choice) {
        at = add_text(line, at, "reason", it->choice->reason);
        at = add_text(line, at, "from", it->choice->from);
        at = add_text(line, at, "to", it->choice->to);
        at = add_number(line, at, "without", it->choice->without);
    }
    at = add_text(line, at, "message", it->sentence);
    return at + (size_t)snprintf(line + at, 3, "}\n");
}

size_t cua_line_text(char *line, const struct cua_line *it)
{
    size_t at = (size_t)snprintf(line, CUA_LINE, "cuarbiter[%d]: %s: %s: ", (int)getpid(),
                                 it->level, it->code);

    at += cua_escape(line + at, 2 * CUA_LINE, it->sentence, CUA_ESCAPE_TEXT);
    return at + (size_t)snprintf(line + at, 2, "\n");
}
