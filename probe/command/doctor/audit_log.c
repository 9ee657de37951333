/* SPDX-License-Identifier: Apache-2.0 */
#include "command/doctor/audit_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuarbiter/names.h"

static struct cua_seen *add(struct cua_seen_all *all, long pid, const char *program)
{
    struct cua_seen *more = realloc(all->seen, (all->count + 1) * sizeof(*more));
    if (!more)
        return NULL;
    all->seen = more;
    struct cua_seen *seen = &more[all->count];
    *seen = (struct cua_seen){.pid = pid, .program = strdup(program)};
    if (!seen->program)
        return NULL;
    all->count++;
    return seen;
}

/* Finds the last entry of a process: the program that it executed last. NULL: it has no entry. */
static struct cua_seen *find(const struct cua_seen_all *all, long pid)
{
    for (size_t i = all->count; i > 0; i--)
        if (all->seen[i - 1].pid == pid)
            return &all->seen[i - 1];
    return NULL;
}

static int keep(char **list, size_t *count, size_t most, const char *text)
{
    for (size_t i = 0; i < *count; i++)
        if (!strcmp(list[i], text))
            return 0;
    if (*count == most)
        return 0;
    list[*count] = strdup(text);
    return list[*count] ? (++*count, 0) : -ENOMEM;
}

static int take_start(struct cua_seen_all *all, long pid, const char *rest)
{
    const char *program = strchr(rest, ' ');
    program = program ? program + 1 : "";
    struct cua_seen *before = find(all, pid);
    /* Assume that the shim has executed the program again: the process ran it before, with the shim
     * and a driver library mapped, and did not call cuInit. */
    if (before && before->shim && before->file_count && !before->init_count &&
        !strcmp(before->program, program))
        before->again = true;
    return add(all, pid, program) ? 0 : -ENOMEM;
}

static int take_open(struct cua_seen *seen, const char *file)
{
    const char *name = strrchr(file, '/');
    if (strcmp(name ? name + 1 : file, CUA_FILE_SHIM))
        return keep(seen->files, &seen->file_count, CUA_SEEN_FILES, file);
    seen->shim = true;
    return 0;
}

/* Records a library that is not one of the driver's. Whether it contains GPU code is checked later
 * (findings.c); most libraries contain none. */
static int take_map(struct cua_seen *seen, const char *file)
{
    if (seen->map_count == CUA_SEEN_MAPS)
        return 0;
    char **more = realloc(seen->maps, (seen->map_count + 1) * sizeof(*more));
    if (!more)
        return -ENOMEM;
    seen->maps = more;
    return keep(more, &seen->map_count, CUA_SEEN_MAPS, file);
}

static int take_init(struct cua_seen *seen, const char *rest)
{
    char *end;
    long code = strtol(rest, &end, 10);
    for (size_t i = 0; i < seen->init_count; i++)
        if (seen->inits[i].code == code && !strcmp(seen->inits[i].file, end + (*end == ' ')))
            return 0;
    if (seen->init_count == CUA_SEEN_INITS)
        return 0;
    char *file = strdup(end + (*end == ' '));
    if (!file)
        return -ENOMEM;
    seen->inits[seen->init_count].code = (int)code;
    seen->inits[seen->init_count++].file = file;
    return 0;
}

/* Reads a line "PID word rest", written by audit.c. A forked child that executes no program writes
 * no "start" line. The first line of such a child creates its entry, with the program "". */
static int take_seen(struct cua_seen_all *all, char *line)
{
    char *word, *rest;
    long pid = strtol(line, &word, 10);
    if (word == line || *word++ != ' ' || !(rest = strchr(word, ' ')))
        return 0;
    *rest++ = '\0';
    all->audited = true;
    if (!strcmp(word, "start"))
        return take_start(all, pid, rest);
    struct cua_seen *seen = find(all, pid);
    if (!seen && !(seen = add(all, pid, "")))
        return -ENOMEM;
    if (!strcmp(word, "open"))
        return take_open(seen, rest);
    if (!strcmp(word, "map"))
        return take_map(seen, rest);
    if (!strcmp(word, "watch"))
        seen->watched = true;
    return strcmp(word, "init") ? 0 : take_init(seen, rest);
}

/* Reads a line "cuarbiter[PID]: level: code: sentence", as machine/log.c writes it. Other lines are
 * skipped. */
static int take_log(struct cua_seen_all *all, char *line)
{
    static const char head[] = "cuarbiter[";
    char *rest;
    if (strncmp(line, head, sizeof(head) - 1))
        return 0;
    long pid = strtol(line + sizeof(head) - 1, &rest, 10);
    if (strncmp(rest, "]: ", 3) || !(rest = strstr(rest + 3, ": ")))
        return 0;
    struct cua_seen *seen = find(all, pid);
    if (!seen && !(seen = add(all, pid, "")))
        return -ENOMEM;
    /* The line shows only the PID. So if a process has executed several programs, the lines of all
     * of them are assigned to the last one. */
    return keep(seen->lines, &seen->line_count, CUA_SEEN_LINES, rest + 2);
}

static int each_line(struct cua_seen_all *all, const char *path,
                     int (*take)(struct cua_seen_all *all, char *line))
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int error = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    while (!error && (length = getline(&line, &room, file)) > 0) {
        if (line[length - 1] == '\n')
            line[length - 1] = '\0';
        error = take(all, line);
    }
    free(line);
    fclose(file);
    return error;
}

int cua_seen_read(struct cua_seen_all *all, const char *seen_file, const char *log_file)
{
    int error = each_line(all, seen_file, take_seen);
    return error ? error : each_line(all, log_file, take_log);
}

void cua_seen_free(struct cua_seen_all *all)
{
    for (size_t i = 0; i < all->count; i++) {
        struct cua_seen *seen = &all->seen[i];
        free(seen->program);
        for (size_t j = 0; j < seen->file_count; j++)
            free(seen->files[j]);
        for (size_t j = 0; j < seen->map_count; j++)
            free(seen->maps[j]);
        free(seen->maps);
        for (size_t j = 0; j < seen->init_count; j++)
            free(seen->inits[j].file);
        for (size_t j = 0; j < seen->line_count; j++)
            free(seen->lines[j]);
    }
    free(all->seen);
}
