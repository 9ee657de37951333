/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/node/engines.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "base/whole.h"
#include "machine/subject.h"

#define MOST    ((size_t)1 << 20)
#define SECONDS 5

/* Adds the usual folders of programs to PATH: if this process comes from a container and has
 * changed its root to the node's, PATH is still that of the container's image. */
static void find_programs(void)
{
    static const char usual[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    const char *path = getenv("PATH");
    char both[PATH_MAX];

    if (!path || (size_t)snprintf(both, sizeof(both), "%s:%s", path, usual) >= sizeof(both))
        setenv("PATH", usual, 1);
    else
        setenv("PATH", both, 1);
}

char *cua_engine_ask(const char *const *argv)
{
    int out[2], status = 0, nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    pid_t child = nothing < 0 || pipe2(out, O_CLOEXEC) ? -1 : fork();

    if (child == 0) {
        find_programs();
        /* The alarm survives execve and ends a program that takes too long. */
        alarm(SECONDS);
        if (dup2(nothing, STDIN_FILENO) >= 0 && dup2(out[1], STDOUT_FILENO) >= 0 &&
            dup2(nothing, STDERR_FILENO) >= 0)
            execvp(argv[0], (char *const *)(size_t)argv);
        _exit(127);
    }
    if (nothing >= 0)
        close(nothing);
    if (child < 0)
        return NULL;
    close(out[1]);
    char *text = cua_whole_text(out[0], MOST);
    if (waitpid(child, &status, 0) != child || status) {
        free(text);
        return NULL;
    }
    return text;
}

char *cua_engine_file(const char *root, const char *path)
{
    const struct cua_subject node = {.sysroot = root};

    return cua_whole(cua_subject_open(&node, path), MOST, NULL);
}

bool cua_engine_has(const char *root, const char *path)
{
    const struct cua_subject node = {.sysroot = root};
    struct stat st;

    return cua_subject_stat(&node, path, &st) == 0;
}

/* The names in a folder that end with `suffix`. */
struct names {
    const char *suffix;
    char **name;
    size_t count;
};

static int take(void *data, const char *name, unsigned char type)
{
    struct names *names = data;
    char **more;

    (void)type;
    if (!cua_ends(name, names->suffix))
        return 0;
    if (!(more = realloc(names->name, (names->count + 1) * sizeof(*more))))
        return -ENOMEM;
    names->name = more;
    more[names->count] = strdup(name);
    names->count += more[names->count] != NULL;
    return 0;
}

static int compare(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Reads the names of the folder, in the order in which the engines read its files. Free them with
 * free_names. */
static struct names list(const char *root, const char *path, const char *suffix)
{
    const struct cua_subject node = {.sysroot = root};
    struct names names = {.suffix = suffix};

    cua_subject_list(&node, path, take, &names);
    if (names.count)
        qsort(names.name, names.count, sizeof(*names.name), compare);
    return names;
}

static void free_names(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
}

bool cua_engine_has_in(const char *root, const char *path, const char *suffix)
{
    struct names names = list(root, path, suffix);
    bool has = names.count;

    free_names(&names);
    return has;
}

char *cua_engine_folder(const char *root, const char *path, const char *suffix)
{
    struct names names = list(root, path, suffix);
    char *text = NULL, *one, file[PATH_MAX];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    for (size_t i = 0; out && i < names.count; i++) {
        if (!cua_join(file, sizeof(file), path, names.name[i]))
            continue;
        if ((one = cua_engine_file(root, file)))
            fprintf(out, "%s\n", one);
        free(one);
    }
    free_names(&names);
    if (!out)
        return NULL;
    if (fclose(out) || !size) {
        free(text);
        return NULL;
    }
    return text;
}

unsigned cua_engine_version(const char *text)
{
    unsigned major, minor;

    for (; text && *text; text++)
        if (*text >= '0' && *text <= '9' && sscanf(text, "%3u.%3u", &major, &minor) == 2)
            return major * 1000 + minor;
    return 0;
}

/* Copies a text, as much as fits, without its quotes and without blanks at its end. */
static void keep(char *to, size_t size, const char *from, size_t length)
{
    size_t at = 0;

    while (length && strchr(" \t\r", from[length - 1]))
        length--;
    for (size_t i = 0; i < length && at + 1 < size; i++)
        if (from[i] != '"' && from[i] != '\'')
            to[at++] = from[i];
    to[at] = '\0';
}

bool cua_toml_next(struct cua_toml *toml)
{
    while (*toml->at) {
        const char *line = toml->at + strspn(toml->at, " \t");
        size_t length = strcspn(line, "\n"), equals = strcspn(line, "=\n");

        toml->at = line + length + (line[length] == '\n');
        if (line[0] == '[') {
            size_t end = length;
            while (end && line[end - 1] != ']')
                end--;
            keep(toml->section, sizeof(toml->section), line + 1, end > 1 ? end - 2 : 0);
        } else if (line[0] != '#' && equals < length) {
            const char *value = line + equals + 1;
            value += strspn(value, " \t");
            size_t room = (size_t)(line + length - value);
            /* Cut a comment off the value; engines write no '#' into values. */
            const char *hash = memchr(value, '#', room);
            keep(toml->key, sizeof(toml->key), line, equals);
            keep(toml->value, sizeof(toml->value), value, hash ? (size_t)(hash - value) : room);
            return true;
        }
    }
    return false;
}

bool cua_toml_get(const char *text, const char *section, const char *key, char *value, size_t size)
{
    struct cua_toml toml = {.at = text ? text : ""};
    bool found = false;

    while (cua_toml_next(&toml))
        if (strcmp(toml.key, key) == 0 && cua_ends(toml.section, section))
            found = cua_copy(value, size, toml.value);
    return found;
}
