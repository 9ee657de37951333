/* SPDX-License-Identifier: Apache-2.0 */
/* Finds CUDA errors in lines that programs print. Several rows of the table can match one line,
 * because one message may be the beginning of another ("operation not permitted"). The best match
 * is the first of these:
 * - a row that matches by its name;
 * - by its message, the row with the longest message;
 * - by its number, the row with the highest number;
 * - a row whose message contains the line. */
#include "command/cuda_error.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define NAME_SCORE    20000
#define MESSAGE_SCORE 10000
#define NUMBER_SCORE  1000
#define PART_SCORE    1

/* A message of at most this many words, such as "out of memory", counts only in a line about CUDA.
 * Elsewhere such words may be about something else. */
#define SHORT_WORDS 3
#define CUDA_ALONE  800 /* error numbers from this one on are taken for CUDA's */
#define PART_LEAST  10

const struct cua_cuda_error *cua_cuda_error_find(int code)
{
    for (size_t i = 0; i < cua_cuda_error_count; i++)
        if (cua_cuda_errors[i].code == code)
            return &cua_cuda_errors[i];
    return NULL;
}

const char *cua_cuda_error_name(int code)
{
    const struct cua_cuda_error *error = cua_cuda_error_find(code);

    return !error ? "" : error->driver[0] ? error->driver : error->runtime;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the line contains `words` as whole words, in upper or lower case. False if `words` is
 * "". */
static bool holds(const char *line, const char *words)
{
    size_t length = strlen(words);

    for (const char *at = line; length && (at = strcasestr(at, words)); at++)
        if ((at == line || !is_letter(at[-1])) && !is_letter(at[length]))
            return true;
    return false;
}

/* Whether the line has the code as the number of an error: "error 803.", "Error code: 803",
 * "error=803", "returned 803". A number without such a word before it may mean anything, and "error
 * 8.03" or "error 803.5" is not 803. */
static bool holds_number(const char *line, int code)
{
    static const char *const before[] = {"error", "code", "returned", "cuInit", "cudaError"};
    char number[16];
    size_t length = (size_t)snprintf(number, sizeof(number), "%d", code);

    for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
        for (const char *at = line; (at = strcasestr(at, before[i]));) {
            at += strlen(before[i]);
            const char *digits = at + strspn(at, " :=#(0"), *end = digits + length;
            if (strncmp(digits, number, length) == 0 && !isdigit((unsigned char)*end) &&
                !(*end == '.' && isdigit((unsigned char)end[1])))
                return true;
        }
    return false;
}

/* Whether the line contains "cuda", in upper or lower case, or the name of a function such as
 * cuInit. */
static bool names_cuda(const char *line)
{
    if (strcasestr(line, "cuda"))
        return true;
    for (const char *at = line; (at = strstr(at, "cu")); at++)
        if ((at == line || !is_letter(at[-1])) && isupper((unsigned char)at[2]))
            return true;
    return false;
}

static bool is_short(const char *message)
{
    int words = 1;

    while ((message = strchr(message, ' ')))
        message++, words++;
    return words <= SHORT_WORDS;
}

/* Whether the line contains the message. cudart ends one message with a full stop, which people
 * often omit. */
static bool holds_message(const char *line, const char *message)
{
    char text[256];
    int length = (int)strlen(message);

    snprintf(text, sizeof(text), "%.*s", length && message[length - 1] == '.' ? length - 1 : length,
             message);
    return holds(line, text);
}

/* Scores how well a row of the table matches the line; 0: not at all. `cuda`: the line is about
 * CUDA, or is assumed to be, so names, short messages and low numbers count too. */
static int score(const struct cua_cuda_error *error, const char *line, bool cuda)
{
    if (cuda && (holds(line, error->driver) || holds(line, error->runtime)))
        return NAME_SCORE;
    if ((cuda || !is_short(error->message)) && holds_message(line, error->message))
        return MESSAGE_SCORE + (int)strlen(error->message);
    if ((cuda || error->code >= CUDA_ALONE) && holds_number(line, error->code))
        return NUMBER_SCORE + error->code;
    return 0;
}

const struct cua_cuda_error *cua_cuda_error_in(const char *line, bool sure)
{
    const struct cua_cuda_error *best = NULL;
    bool cuda = !sure || names_cuda(line), part = !sure && strlen(line) >= PART_LEAST;
    int most = 0;

    for (size_t i = 0; i < cua_cuda_error_count; i++) {
        int points = score(&cua_cuda_errors[i], line, cuda);
        if (!points && part && strcasestr(cua_cuda_errors[i].message, line))
            points = PART_SCORE;
        if (points > most) {
            most = points;
            best = &cua_cuda_errors[i];
        }
    }
    return best;
}
