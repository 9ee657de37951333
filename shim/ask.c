/* SPDX-License-Identifier: Apache-2.0 */
#include "ask.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "cuarbiter/ident.h"
#include "cuarbiter/names.h"
#include "cuarbiter/stderr.h"

#include "confined.h"
#include "keeper.h"
#include "libpath.h"
#include "objects.h"
#include "state.h"
#include "status.h"
#include "syscalls.h"
#include "text.h"

CUA_IDENT("shim");

/* After this many failures in a row the shim stops asking, because each attempt costs the program
 * time. A failure is, for example, a child process that cannot be started, or a late answer. */
#define MOST_FAILURES 16
#define LATE_COUNTS   8 /* a late answer counts as this many failures: the wait took seconds */

static _Atomic(int) failures;
static _Atomic(const char *) unusable; /* why the answerer's file cannot be used; NULL: it can */
static _Atomic(bool) complained;
/* Texts of the last answer that the answerer wants back with the next question; "" ends them. */
static _Atomic(const char *) kept;
/* The new rows that give() returned last. */
static _Atomic(const struct cua_row *) given[16];
static _Atomic(unsigned) next_given;

static long call(long number, long a, long b, long c, long d)
{
    return cua_syscall(number, a, b, c, d, 0, 0);
}

/* Copies only visible ASCII, because a folder's name may have escape sequences. */
static char *put_visible(char *to, const char *text)
{
    for (; *text; text++)
        *to++ = *text > ' ' && *text <= '~' ? *text : '?';
    return to;
}

/* Writes at most one line per process to standard error, for a question that no answerer logs.
 * Writes none about a library that might not need libcuda at all (CUA_ASK_BROUGHT), none if
 * standard error takes no log lines, and none if the answerer's path is too long for the line. */
static void complain(const struct cua_question *question, const char *code, const char *why)
{
    static const char start[] = "cuarbiter: ", rest[] = " is loaded as without cuarbiter\n";
    const char *file = cua_folder() + CUA_ANSWERER_AT, *name = cua_file(question->name);
    char line[720], *to = cua_mempcpy(line, start, sizeof(start) - 1);

    /* The name in CUA_ASK_UNDONE is that of a file which is not loaded. */
    if (!*name || cua_length(name) > 100 || question->ask == CUA_ASK_UNDONE)
        name = "libcuda";
    if (question->ask == CUA_ASK_BROUGHT || cua_length(file) > 400 ||
        !cua_stderr_takes_lines(STDERR_FILENO, call) || atomic_exchange(&complained, true))
        return;
    to = cua_mempcpy(to, code, cua_length(code));
    to = put_visible(to, file);
    *to++ = ' ';
    to = cua_mempcpy(to, why, cua_length(why));
    to = cua_mempcpy(to, ": ", 2);
    to = put_visible(to, name);
    to = cua_mempcpy(to, rest, sizeof(rest) - 1);
    cua_write_at_once(STDERR_FILENO, line, (size_t)(to - line), call);
}

/* Returns the record after `record`; NULL if `record` was the last one. `end`: where the records
 * end. */
static const char *next_record(const char *record, const char *end)
{
    record += cua_length(record) + 1;
    return record < end ? record : NULL;
}

static const char *begin_records(const struct cua_errand *errand)
{
    const char *at = errand->answer, *end = at + errand->length;

    if (*at == CUA_ANSWERS_TRIAL)
        at = next_record(at, end);
    return at;
}

/* Whether the errand has succeeded, and its answer is complete and has this shim's frame number
 * (frame.h). The last byte of such an answer is a NUL, so every record ends within it. */
static bool is_whole(const struct cua_errand *errand)
{
    const char *end = errand->answer + errand->length, *first;

    if (errand->error || errand->status || errand->length < 4 || end[-1] ||
        end[-2] != CUA_ANSWERS_END || end[-3])
        return false;
    first = begin_records(errand);
    return first && *first == CUA_ANSWERS_FRAME && cua_same(first + 1, CUA_FRAME);
}

/* Turns the records of an answer into rows, in memory that is never freed once a row is in use. */
struct reader {
    char *text;          /* where the next row or path goes */
    struct cua_row *row; /* the row that is being filled in; NULL: none yet */
    const char *name;    /* the library that the current row is about */
    bool keep;
    struct cua_answer *answer; /* receives the first row, the one about the request */
    bool first, used; /* first: no row has ended yet; used: the program, or the cache, holds a row
                         in this memory */
};

static bool same_row(const struct cua_row *a, const struct cua_row *b)
{
    return a->device == b->device && a->inode == b->inode && a->companion == b->companion &&
           (a->path && b->path ? cua_same(a->path, b->path) : a->path == b->path);
}

/* Returns the row to use: the one in `given` that equals the new row, or else the new row. Some
 * rows may not be cached, so their question is asked again and again. Without `given` each answer
 * would use more memory. */
static const struct cua_row *give(struct reader *reader)
{
    const struct cua_row *before;
    size_t i;

    for (i = 0; i < sizeof(given) / sizeof(*given); i++) {
        before = atomic_load(&given[i]);
        if (before && same_row(before, reader->row))
            return before;
    }
    reader->used = true;
    atomic_store(&given[atomic_fetch_add(&next_given, 1) % (sizeof(given) / sizeof(*given))],
                 reader->row);
    return reader->row;
}

static void end_row(struct reader *reader)
{
    if (!reader->row)
        return;
    reader->row->companion = !reader->first;
    if (reader->first) {
        reader->answer->row = give(reader);
        reader->answer->keep = reader->keep;
        reader->first = false;
    } else if (reader->keep) {
        cua_row_keep(cua_key(reader->name), give(reader));
    }
    reader->row = NULL;
}

static void begin_row(struct reader *reader, const char *name)
{
    end_row(reader);
    reader->row = (struct cua_row *)(void *)reader->text;
    reader->text += sizeof(struct cua_row);
    *reader->row = (struct cua_row){.path = NULL};
    reader->name = name;
    reader->keep = false;
}

static void read_record(struct reader *reader, const char *record)
{
    struct cua_row *row = reader->row;
    const char *text = record + 1;

    switch (*record) {
    case CUA_ANSWERS_ROW:
        begin_row(reader, text);
        break;
    case CUA_ANSWERS_ACTION:
        if (row && reader->first)
            reader->answer->action = (unsigned char)*text;
        break;
    case CUA_ANSWERS_PATH:
        if (!row || *text != '/')
            break;
        row->path = reader->text;
        reader->text = cua_mempcpy(reader->text, text, cua_length(text) + 1);
        reader->text += -(uintptr_t)reader->text % sizeof(uint64_t);
        break;
    case CUA_ANSWERS_FILE:
        if (!row)
            break;
        row->device = cua_hex(text);
        while (*text && *text++ != ':')
            ;
        row->inode = cua_hex(text);
        break;
    case CUA_ANSWERS_KEEP:
        reader->keep = true;
        break;
    default:
        break;
    }
}

/* Returns how many bytes the rows of an answer need at most. That may be more than the answer has:
 * a struct cua_row can be larger than its record, and paths are padded. */
static size_t room_for_rows(const struct cua_errand *errand)
{
    const char *at = begin_records(errand), *end = errand->answer + errand->length;
    size_t room = 0;

    for (; at; at = next_record(at, end))
        room += *at == CUA_ANSWERS_ROW    ? sizeof(struct cua_row)
                : *at == CUA_ANSWERS_PATH ? cua_length(at) + 8
                                          : 0;
    return room;
}

static void read_rows(const struct cua_errand *errand, struct cua_answer *answer)
{
    const char *at = begin_records(errand), *end = errand->answer + errand->length;
    struct reader reader = {.answer = answer, .first = true};
    const size_t room = room_for_rows(errand) + 1;
    char *memory = cua_sys_map(room);

    reader.text = memory;
    for (; reader.text && at; at = next_record(at, end))
        read_record(&reader, at);
    end_row(&reader);
    if (!reader.used)
        cua_sys_unmap(memory, room);
    if (!answer->row || !answer->row->path)
        answer->action = CUA_LEAVE;
}

static void write_lines(const struct cua_errand *errand)
{
    const char *at = begin_records(errand), *end = errand->answer + errand->length;

    for (; at; at = next_record(at, end))
        if (*at == CUA_ANSWERS_LINE)
            cua_write_at_once(STDERR_FILENO, at + 1, cua_length(at + 1), call);
}

/* Replaces the kept texts by those in the answer. `sent`: the kept texts that the question had.
 * Returns false if the answer has other texts than `sent`, and another thread has replaced the kept
 * texts meanwhile; then the caller asks again, unless this was the last attempt. */
static bool replace_kept(const struct cua_errand *errand, const char *sent)
{
    const char *at = begin_records(errand), *end = errand->answer + errand->length;
    size_t size = 1, length;
    char *texts, *to;

    for (; at; at = next_record(at, end))
        size += *at == CUA_ANSWERS_KEPT ? cua_length(at) : 0;
    to = texts = cua_sys_map(size);
    if (!texts)
        return true;
    for (at = begin_records(errand); at; at = next_record(at, end)) {
        length = cua_length(at);
        if (*at == CUA_ANSWERS_KEPT)
            to = cua_mempcpy(to, at + 1, length);
    }
    for (length = 0; sent && length < size && sent[length] == texts[length];)
        length++;
    if (length == size || !atomic_compare_exchange_strong(&kept, &sent, texts)) {
        cua_sys_unmap(texts, size);
        return length == size;
    }
    return true; /* the texts in `sent` stay mapped: another thread may be sending them */
}

/* Returns why there is no use in asking again as long as this process lives; NULL: there may be.
 * There is none in these cases:
 * - The answerer's file is missing, is no program, or must not be executed.
 * - The answerer has ended with an error or without a complete answer, and nothing stopped it: no
 *   SIGKILL, no time limit, no signal for the program. */
static const char *why_unusable(const struct cua_errand *errand)
{
    long error = errand->error;

    if (error == -ENOENT || error == -ENOTDIR)
        return "is missing";
    if (error == -EACCES)
        return "cannot be executed here (check its owner, mode and mount)";
    if (error == -ENOEXEC)
        return "is no program that can run here";
    /* The list of objects has changed: the question was incomplete, or the answer is about other
     * objects. The answerer is not the cause. */
    if (error == -EBUSY)
        return NULL;
    return errand->status != -1 && error != -ETIMEDOUT && error != -EINTR &&
                   errand->status != SIGKILL && (errand->status || !error)
               ? "gave no usable answer (damaged, or of another version?)"
               : NULL;
}

static void note_failure(const struct cua_errand *errand, const struct cua_question *question)
{
    const char *why = why_unusable(errand);

    atomic_fetch_add(&failures, errand->error == -ETIMEDOUT ? LATE_COUNTS : 1);
    if (why) {
        atomic_store(&unusable, why);
        complain(question, "error: no-answerer: ", why);
    } else if (errand->error == -ETIMEDOUT) {
        complain(question, "warn: no-answer: ", "did not answer in time");
    } else if (errand->error == -EBUSY) {
        complain(question, "warn: no-answer: ", "could not be told which libraries are loaded");
    } else if (errand->status == SIGKILL && errand->error != -EINTR) {
        complain(question, "warn: no-answer: ", "was killed");
    } else if (errand->error != -EINTR) {
        complain(question, "warn: no-process: ", "could not be started");
    }
}

/* Reads the rows of an answer. If the question was about libcuda, or about a library that may need
 * it, the answer may be about another libcuda than before. So this first drops the rows for the
 * earlier libcuda's companions. */
static void take_answer(const struct cua_errand *errand, const struct cua_question *question,
                        struct cua_answer *answer)
{
    atomic_store(&failures, 0);
    if (question->ask == CUA_ASK_BROUGHT || cua_starts(cua_file(question->name), "libcuda.so"))
        cua_rows_drop_companions();
    read_rows(errand, answer);
}

/* Asks once. Returns false if the caller should ask again, because the loaded libraries or the kept
 * texts have changed meanwhile. Always returns true if this is the `last` attempt. */
static bool ask_once(struct cua_question *question, struct cua_answer *answer, bool last)
{
    struct cua_errand *errand = cua_errand_new();
    bool settled = true;

    if (!errand)
        return true;
    errand->program = cua_folder() + CUA_ANSWERER_AT;
    errand->beside = cua_folder() + CUA_SHIM_AT;
    errand->question = cua_question_write;
    /* The answer to the last attempt counts in any case: if many threads open and close libcudas,
     * cua_question_stands might never return true. */
    errand->stands = last ? NULL : cua_question_stands;
    errand->data = question;
    question->kept = atomic_load(&kept);
    if (cua_errand_may(errand, !question->caller)) {
        /* cua_errand_may has not found a seccomp filter of the program's own. So, as far as can be
         * seen, the program has forbidden none of the system calls from here on. */
        cua_question_prepare(question);
        cua_libpath_prepare();
        cua_errand_run(errand);
        if (errand->error == -EBUSY && !last)
            settled = false;
        else if (!is_whole(errand))
            note_failure(errand, question);
        else if (!replace_kept(errand, question->kept) && !last)
            settled = false;
        else
            take_answer(errand, question, answer);
        if (settled && is_whole(errand))
            write_lines(errand);
    }
    cua_errand_free(errand);
    return settled;
}

void cua_ask(struct cua_question *question, struct cua_answer *answer)
{
    const char *why;

    *answer = (struct cua_answer){.action = CUA_LEAVE};
    /* Never asks in the command `cuarbiter`, the only program that exports this symbol. The command
     * looks at other processes. When it tries a driver in a child, the child must open exactly that
     * driver. */
    if (!cua_folder() || cua_object_symbol(cua_objects(), "cua_command_mark"))
        return;
    /* No file has a path this long. */
    if (cua_length(question->name) >= CUA_TEXT_MOST)
        return;
    why = atomic_load(&unusable);
    if (why) {
        complain(question, "error: no-answerer: ", why);
        return;
    }
    if (atomic_load(&failures) >= MOST_FAILURES)
        return;
    if (!ask_once(question, answer, false))
        ask_once(question, answer, true);
}
