/* SPDX-License-Identifier: Apache-2.0 */
#include "command/summary/summary.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/jsonout.h"
#include "cli/layout.h"
#include "cli/options.h"
#include "cli/output.h"
#include "command/summary/bring.h"
#include "command/summary/counts.h"
#include "cuarbiter/names.h"

static int by_text(const struct cua_word *a, const struct cua_word *b)
{
    return strcmp(a->text, b->text);
}

static void print_words(const char *title, const struct cua_word *set, const char *what)
{
    for (const struct cua_word *word = set; word; word = word->hh.next) {
        cua_layout_title(title);
        printf("%s: %s\n", cua_shown(word->text), what);
    }
}

static const char *counted(unsigned long number, const char *what)
{
    static char text[4][64];
    static unsigned at;
    char *one = text[at++ % 4];

    snprintf(one, sizeof(*text), "%lu %s%s", number, what,
             number == 1                     ? ""
             : what[strlen(what) - 1] == 's' ? "es"
                                             : "s");
    return one;
}

/* Prints a line about one libcuda. `loaders`: ld.so alone would take it, so the result of cuInit
 * is printed. `chosen`: cuarbiter chose it, so the reason is printed. */
static void print_libcuda(const char *title, const char *path, bool loaders, bool chosen,
                          const struct cua_alike *row)
{
    printf("  %-8s %s", title, path[0] ? cua_shown(path) : "none");
    if (loaders && row->without >= 0)
        printf(", cuInit %ld", row->without);
    else if (loaders && path[0])
        printf(", cuInit not known");
    if (chosen && path[0])
        printf(" (%s)", cua_shown(row->reason));
    putchar('\n');
}

static void print_text(struct cua_counts *s)
{
    cua_layout_title("Processes");
    printf("%lu, of %s on %s, started by %s\n", s->processes,
           counted(HASH_COUNT(s->programs), "program"), counted(HASH_COUNT(s->hosts), "host"),
           counted(HASH_COUNT(s->users), "user"));
    if (s->processes) {
        cua_layout_title("Time");
        printf("%s to %s\n", cua_shown(s->first), cua_shown(s->last));
    }
    if (s->dry) {
        cua_layout_title("Dry run");
        printf("%lu process%s: with cuarbiter, %lu would get another libcuda, %lu the same\n",
               s->dry, s->dry == 1 ? "" : "es", s->changed, s->dry - s->changed);
    }
    if (s->containers.count) {
        unsigned long left = 0;
        for (const struct cua_why *why = s->containers.left; why; why = why->hh.next)
            left += why->containers;
        cua_layout_title("Containers");
        printf("%lu, of which %lu got cuarbiter\n", s->containers.count,
               s->containers.count - left);
        for (const struct cua_why *why = s->containers.left; why; why = why->hh.next)
            printf("  %lu did not get it: %s\n", why->containers, cua_shown(why->text));
        if (s->containers.off)
            printf("  %lu got it while the policy was off or disabled\n", s->containers.off);
    }
    for (const struct cua_bring *bring = cua_bring_of(s); bring; bring = bring->hh.next) {
        cua_layout_title("To add");
        printf("%s on %s, no driver there has their CUDA: ", counted(bring->processes, "process"),
               counted(HASH_COUNT(bring->hosts), "host"));
        if (bring->version[0])
            printf("cuarbiter driver add %s; %s\n", bring->version, cua_shown(bring->why));
        else
            printf("none to add: %s\n", cua_shown(bring->why));
    }
    cua_layout_title("Lines");
    printf("%lu in the log files, of which %lu are not log lines\n", s->lines, s->unknown);
    print_words("Full", s->full, "the log file is full, so later processes are missing");
    print_words("Not read", s->unread, "not a regular file, not readable, or too large");
    for (const struct cua_alike *row = s->rows; row; row = row->hh.next) {
        printf("\n%s on %s, policy %s: %s\n", counted(row->processes, "process"),
               counted(HASH_COUNT(row->hosts), "host"), row->policy,
               row->exe[0] ? cua_shown(row->exe) : "not known");
        if (strcmp(row->from, row->to) == 0) {
            print_libcuda("got", row->from, true, true, row);
            continue;
        }
        print_libcuda(cua_is_dry(row->policy) ? "got" : "without", row->from, true, false, row);
        print_libcuda(cua_is_dry(row->policy) ? "would" : "got", row->to, false, true, row);
    }
}

static void json_words(const char *key, struct cua_word *set)
{
    HASH_SORT(set, by_text);
    cua_jsonout_open(key, '[');
    for (const struct cua_word *word = set; word; word = word->hh.next)
        cua_jsonout_string(NULL, word->text);
    cua_jsonout_close(']');
}

static void print_json(struct cua_counts *s)
{
    cua_jsonout_open(NULL, '{');
    cua_jsonout_number("schema", 1);
    cua_jsonout_number("processes", (long long)s->processes);
    cua_jsonout_number("programs", HASH_COUNT(s->programs));
    cua_jsonout_number("hosts", HASH_COUNT(s->hosts));
    cua_jsonout_number("users", HASH_COUNT(s->users));
    cua_jsonout_text("first", s->first);
    cua_jsonout_text("last", s->last);
    cua_jsonout_number("dry", (long long)s->dry);
    cua_jsonout_number("changed", (long long)s->changed);
    cua_jsonout_number("lines", (long long)s->lines);
    cua_jsonout_number("unknown", (long long)s->unknown);
    cua_jsonout_number("containers", (long long)s->containers.count);
    cua_jsonout_number("off", (long long)s->containers.off);
    cua_jsonout_open("left", '[');
    for (const struct cua_why *why = s->containers.left; why; why = why->hh.next) {
        cua_jsonout_open(NULL, '{');
        cua_jsonout_string("why", why->text);
        cua_jsonout_number("containers", (long long)why->containers);
        cua_jsonout_close('}');
    }
    cua_jsonout_close(']');
    cua_jsonout_open("bring", '[');
    for (struct cua_bring *bring = cua_bring_of(s); bring; bring = bring->hh.next) {
        cua_jsonout_open(NULL, '{');
        cua_jsonout_text("version", bring->version);
        cua_jsonout_text("why", bring->why);
        cua_jsonout_number("processes", (long long)bring->processes);
        json_words("hosts", bring->hosts);
        cua_jsonout_close('}');
    }
    cua_jsonout_close(']');
    json_words("full", s->full);
    json_words("unread", s->unread);
    cua_jsonout_open("groups", '[');
    for (const struct cua_alike *row = s->rows; row; row = row->hh.next) {
        cua_jsonout_open(NULL, '{');
        cua_jsonout_number("processes", (long long)row->processes);
        cua_jsonout_text("exe", row->exe);
        json_words("hosts", row->hosts);
        cua_jsonout_string("policy", row->policy);
        cua_jsonout_string("reason", row->reason);
        cua_jsonout_text("got", cua_is_dry(row->policy) ? row->from : row->to);
        cua_jsonout_text("from", row->from);
        cua_jsonout_text("to", row->to);
        if (row->without >= 0)
            cua_jsonout_number("without", row->without);
        else
            cua_jsonout_null("without");
        cua_jsonout_close('}');
    }
    cua_jsonout_close(']');
    cua_jsonout_close('}');
}

static int summarize(const char *folder, bool json)
{
    static struct cua_counts s;
    int error = cua_counts_read(&s, folder);

    if (error) {
        cua_complain(folder, "%s", strerror(-error));
        return CUA_EXIT_USAGE;
    }
    (json ? print_json : print_text)(&s);
    if (s.short_of_memory)
        cua_complain(folder, "not all of it is counted: %s", strerror(ENOMEM));
    return s.short_of_memory || s.unread || !(s.processes + s.containers.count) ? CUA_EXIT_UNKNOWN
                                                                                : 0;
}

static int run(int argc, char **argv)
{
    int code = 0, option;
    bool json = false;

    while ((option = cua_option(&cua_verb_summary, argc, argv, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        if (option == 'j')
            json = true;
        else if ((code = cua_output_to(optarg)) != 0)
            return code;
    }
    if (optind != argc - 1)
        return cua_usage(&cua_verb_summary, "one folder is needed");
    return summarize(argv[optind], json);
}

const struct cua_verb cua_verb_summary = {
    .name = "summary",
    .run = run,
};
