/* SPDX-License-Identifier: Apache-2.0 */
#include "command/matrix/machines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/whole.h"
#include "command/gpu_name.h"
#include "command/whatif.h"
#include "cli/verb.h"

#define CUA_TEXT_MOST (4u << 20)

enum { CUA_NAME, CUA_KMD, CUA_GPUS, CUA_CC, CUA_TOOLKIT, CUA_FIELDS };

static char *read_all(const char *file)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC); /* no O_NONBLOCK: the file may be a pipe */
    size_t size;
    char *text = cua_whole(fd < 0 ? -errno : fd, CUA_TEXT_MOST, &size);

    if (!text || !memchr(text, '\0', size))
        return text;
    free(text);
    errno = EILSEQ;
    return NULL;
}

/* Takes the next field of a CSV line from *rest, and changes the text in place. Removes the
 * quotes of a field that begins with a quote, and the blanks around any other field. *rest
 * becomes NULL after the last field. Returns NULL if the closing quote is missing, or is not the
 * last character of the field. */
static char *take_field(char **rest)
{
    char *from = *rest, *to = from, *field = from;

    if (*from != '"') {
        field = strsep(rest, ",");
        size_t n = strlen(field);
        while (n && (field[n - 1] == ' ' || field[n - 1] == '\t'))
            field[--n] = '\0';
        return field + strspn(field, " \t");
    }
    for (from++; *from; from++) {
        if (*from != '"')
            *to++ = *from;
        else if (from[1] == '"')
            *to++ = *from++;
        else
            break;
    }
    if (*from != '"' || (from[1] && from[1] != ','))
        return NULL;
    *rest = from[1] ? from + 2 : NULL;
    *to = '\0';
    return field;
}

/* Splits "a;b;c" into its parts. Removes the blanks around them, and leaves out empty ones. The
 * caller frees the array. The parts point into `text`, which this function changes. NULL: no
 * memory. */
static const char **split(char *text, size_t *count)
{
    size_t most = 1;

    *count = 0;
    for (const char *p = text; *p; p++)
        most += *p == ';';
    const char **part = calloc(most, sizeof(*part));
    while (part && text && *text) {
        char *one = strsep(&text, ";");
        one += strspn(one, " ");
        size_t n = strlen(one);
        while (n && one[n - 1] == ' ')
            one[--n] = '\0';
        if (*one)
            part[(*count)++] = one;
    }
    return part;
}

/* Parses a line of the CSV file. Returns NULL, or what is wrong with it. */
static const char *parse_line(struct cua_machine *machine, char *line)
{
    char none[] = "", *field[CUA_FIELDS] = {none, none, none, none, none};
    struct cua_version version;
    int count = 0;

    while (line && count < CUA_FIELDS) {
        field[count] = take_field(&line);
        if (!field[count++])
            return "a quoted field is not closed, or text follows its last quote";
    }
    if (line)
        return "more than five fields";
    if (!field[CUA_NAME][0])
        return "the first field, the machine's name, is empty";
    if (!cua_version_of_driver(&version, field[CUA_KMD]))
        return "the second field is not a driver version";
    if (field[CUA_TOOLKIT][0] && !cua_cuda_parse(field[CUA_TOOLKIT]))
        return "the fifth field is not a CUDA version";
    struct cua_overrides *overrides = &machine->overrides;
    machine->name = field[CUA_NAME];
    overrides->kmd = field[CUA_KMD];
    overrides->toolkit = field[CUA_TOOLKIT][0] ? field[CUA_TOOLKIT] : NULL;
    /* NULL: CUDA_VISIBLE_DEVICES decides which GPUs are visible. Only `matrix --env` sets that
     * variable here; this process's environment does not count. */
    overrides->visible = NULL;
    overrides->gpu = machine->gpu = split(field[CUA_GPUS], &overrides->gpu_count);
    overrides->cc = machine->cc = split(field[CUA_CC], &overrides->cc_count);
    if (!machine->gpu || !machine->cc)
        return "out of memory";
    for (size_t i = 0; i < overrides->cc_count; i++)
        if (!cua_cc_parse(overrides->cc[i]))
            return "the fourth field is not a compute capability";
    if (overrides->cc_count > overrides->gpu_count)
        return "more compute capabilities than GPUs";
    for (size_t i = 0; i < overrides->gpu_count; i++)
        machine->gpu[i] = cua_gpu_name(machine->gpu[i]);
    return NULL;
}

int cua_machines_read(struct cua_machines *machines, const char *file)
{
    size_t number = 0, room = 0;
    char *rest, *line, what[32];

    memset(machines, 0, sizeof(*machines));
    machines->text = read_all(file);
    if (!machines->text) {
        cua_complain(file, "%s", errno == EILSEQ ? "not a text file" : strerror(errno));
        return -1;
    }
    rest = machines->text;
    while ((line = strsep(&rest, "\n"))) {
        number++;
        line[strcspn(line, "\r")] = '\0';
        if (!line[strspn(line, " \t")] || line[0] == '#' ||
            (number == 1 && cua_starts(line, "name,")))
            continue;
        if (machines->count == room) {
            room = room ? room * 2 : 16;
            struct cua_machine *more = realloc(machines->machine, room * sizeof(*more));
            if (!more) {
                cua_complain(file, "%s", strerror(ENOMEM));
                return -1;
            }
            machines->machine = more;
        }
        struct cua_machine *machine = &machines->machine[machines->count++];
        memset(machine, 0, sizeof(*machine));
        const char *wrong = parse_line(machine, line);
        if (wrong) {
            snprintf(what, sizeof(what), "line %zu", number);
            cua_complain(file, "%s: %s", what, wrong);
            return -1;
        }
    }
    return 0;
}

void cua_machines_free(struct cua_machines *machines)
{
    for (size_t i = 0; i < machines->count; i++) {
        free(machines->machine[i].gpu);
        free(machines->machine[i].cc);
    }
    free(machines->machine);
    free(machines->text);
    memset(machines, 0, sizeof(*machines));
}
