/* SPDX-License-Identifier: Apache-2.0 */
#include "answer/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/oldstat.h"

/* How many bytes of an answer are reserved for rows and kept texts (table.h). Log lines get the
 * rest, so that many lines cannot displace rows. */
#define ROOM_FOR_ROWS (24 * 1024)

struct records {
    char bytes[CUA_ANSWER_MOST];
    size_t used, most;
};
static struct records rows = {.most = ROOM_FOR_ROWS};
static struct records lines = {.most = CUA_ANSWER_MOST - ROOM_FOR_ROWS - 64};

/* Whether a record was dropped since cua_table_begin. Then cua_table_end drops all records of the
 * group: half a row, or some of the settings, would have another meaning. */
static bool is_short;

static void add(struct records *to, char kind, const char *text, size_t length)
{
    if (length + 2 > to->most - to->used) {
        is_short = true;
        return;
    }
    to->bytes[to->used++] = kind;
    memcpy(to->bytes + to->used, text, length);
    to->used += length;
    to->bytes[to->used++] = '\0';
}

static void add_text(char kind, const char *text)
{
    add(&rows, kind, text, strlen(text));
}

size_t cua_table_begin(void)
{
    is_short = false;
    return rows.used;
}

void cua_table_end(size_t begin)
{
    if (is_short)
        rows.used = begin;
}

void cua_table_row(const char *name, enum cua_action action, const char *path,
                   const struct stat *known, bool keep)
{
    size_t begin = cua_table_begin();
    const char letter[] = {(char)action, 0};
    char file[48];
    struct stat st;

    add_text(CUA_ANSWERS_ROW, name);
    if (action != CUA_LEAVE) {
        if (known)
            st = *known;
        else if (cua_stat(path, &st) != 0)
            return;
        snprintf(file, sizeof(file), "%" PRIx64 ":%" PRIx64, (uint64_t)st.st_dev,
                 (uint64_t)st.st_ino);
        add_text(CUA_ANSWERS_ACTION, letter);
        add_text(CUA_ANSWERS_PATH, path);
        add_text(CUA_ANSWERS_FILE, file);
    }
    if (keep)
        add_text(CUA_ANSWERS_KEEP, "");
    cua_table_end(begin);
}

void cua_table_kept(char kind, const char *text)
{
    char record[CUA_TEXT_MOST];
    int length = snprintf(record, sizeof(record), "%c%s", kind, text);

    if (length > 0 && (size_t)length < sizeof(record))
        add_text(CUA_ANSWERS_KEPT, record);
    else
        is_short = true;
}

void cua_table_line(const char *line, size_t size)
{
    add(&lines, CUA_ANSWERS_LINE, line, size);
}

static int put(const char *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(CUA_FD_ANSWER, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

void cua_table_trial(unsigned seconds)
{
    char record[16];
    int length = snprintf(record, sizeof(record), "%c%u", CUA_ANSWERS_TRIAL, seconds);

    put(record, (size_t)length + 1);
}

int cua_table_write(void)
{
    static const char frame[] = {CUA_ANSWERS_FRAME, CUA_FRAME[0], 0}, end[] = {CUA_ANSWERS_END, 0};
    int error = put(frame, sizeof(frame));

    error = error ? error : put(rows.bytes, rows.used);
    error = error ? error : put(lines.bytes, lines.used);
    return error ? error : put(end, sizeof(end));
}
