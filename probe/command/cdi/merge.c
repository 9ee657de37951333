/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The edit is one of text, so that everything else of the specification stays byte for byte. In
 * JSON our mounts are known by their containerPath; in YAML they stand between two comments.
 */
#include "command/cdi/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/oldstat.h"
#include "base/whole.h"
#include "command/cdi/mounts.h"
#include "command/replace_file.h"
#include "command/verb.h"
#include "cuarbiter/names.h"

#define SPEC_MAX (4 << 20)
#define BEGIN    "# cuarbiter begin"
#define END      "# cuarbiter end"

struct edit {
    const char *folder; /* NULL: only take out */
    FILE *out;
    const char *trouble;
};

static void json_mounts(const struct edit *edit, bool more)
{
    for (size_t i = 0; i < CUA_CDI_MOUNTS; i++) {
        const struct cua_cdi_mount *mount = &cua_cdi_mounts[i];
        fputs("{\"hostPath\":", edit->out);
        cua_cdi_string(edit->out, edit->folder, mount->host);
        fprintf(edit->out,
                ",\"containerPath\":\"%s\",\"options\":[\"ro\",\"nosuid\",\"nodev\",\"bind\"]}%s",
                mount->container, more || i + 1 < CUA_CDI_MOUNTS ? "," : "");
    }
}

static bool is_ours(const struct cua_json *json, int mount)
{
    char path[PATH_MAX];
    int at = cua_json_get(json, mount, "containerPath");

    if (at < 0 || !cua_json_string(json, at, path, sizeof(path)))
        return false;
    for (size_t i = 0; i < CUA_CDI_MOUNTS; i++)
        if (strcmp(path, cua_cdi_mounts[i].container) == 0)
            return true;
    return false;
}

/* The list of mounts with ours in front of the others, which keep their text. */
static void json_list(const struct edit *edit, const struct cua_json *json, int list)
{
    int left = 0, at = list + 1;

    for (int i = 0; i < json->token[list].size; i++, at = cua_json_after(json, at))
        left += !is_ours(json, at);
    fputc('[', edit->out);
    if (edit->folder)
        json_mounts(edit, left > 0);
    at = list + 1;
    for (int i = 0; i < json->token[list].size; i++, at = cua_json_after(json, at)) {
        if (is_ours(json, at))
            continue;
        fwrite(json->text + json->token[at].start, 1,
               (size_t)(json->token[at].end - json->token[at].start), edit->out);
        if (--left > 0)
            fputc(',', edit->out);
    }
    fputc(']', edit->out);
}

static void edit_json(struct edit *edit, const char *text, size_t size)
{
    unsigned room = (unsigned)(size / 2 + 2);
    jsmntok_t *tokens = malloc(room * sizeof(*tokens));
    struct cua_json json;
    size_t from = 0;

    if (!tokens || !cua_json_object(&json, text, size, tokens, room)) {
        edit->trouble = tokens ? "no JSON object" : strerror(ENOMEM);
        free(tokens);
        return;
    }
    int kind = cua_json_get(&json, 0, "kind");
    int edits = cua_json_get(&json, 0, "containerEdits");
    int list = edits < 0 ? -1 : cua_json_get(&json, edits, "mounts");
    if (kind < 0) {
        edit->trouble = "no CDI specification";
    } else if (edits == -2 || list == -2 || (edits >= 0 && tokens[edits].type != JSMN_OBJECT) ||
               (list >= 0 && tokens[list].type != JSMN_ARRAY)) {
        edit->trouble = "containerEdits or mounts is not what a specification has there";
    } else if (list >= 0) {
        fwrite(text, 1, (size_t)tokens[list].start, edit->out);
        json_list(edit, &json, list);
        from = (size_t)tokens[list].end;
    } else if (edit->folder) {
        int around = edits < 0 ? 0 : edits;
        from = (size_t)tokens[around].start + 1;
        fwrite(text, 1, from, edit->out);
        fprintf(edit->out, "%s\"mounts\":[", edits < 0 ? "\"containerEdits\":{" : "");
        json_mounts(edit, false);
        fprintf(edit->out, "]%s%s", edits < 0 ? "}" : "", tokens[around].size ? "," : "");
    }
    fwrite(text + from, 1, size - from, edit->out);
    free(tokens);
}

static size_t line_length(const char *line)
{
    size_t length = strcspn(line, "\n");
    return line[length] ? length + 1 : length;
}

/* Without what an earlier run put between the comments. NULL with errno. */
static char *without_ours(const char *text)
{
    char *copy = malloc(strlen(text) + 2), *to = copy;
    bool inside = false;

    for (size_t length; copy && *text; text += length) {
        const char *word = text + strspn(text, " ");
        length = line_length(text);
        bool begin = strncmp(word, BEGIN, strlen(BEGIN)) == 0;
        inside |= begin;
        if (!inside) {
            memcpy(to, text, length);
            to += length;
        } else if (!begin && strncmp(word, END, strlen(END)) == 0) {
            inside = false;
        }
    }
    if (!copy)
        return NULL;
    *to = '\0';
    if (!inside)
        return copy;
    /* Somebody cut our lines in two: what follows them is not ours to drop. */
    free(copy);
    errno = EBADMSG;
    return NULL;
}

static void yaml_mounts(const struct edit *edit, const char *around, int indent)
{
    fprintf(edit->out, "%*s%s\n%s", indent, "", BEGIN, around);
    for (size_t i = 0; i < CUA_CDI_MOUNTS; i++) {
        const struct cua_cdi_mount *mount = &cua_cdi_mounts[i];
        fprintf(edit->out, "%*s- hostPath: ", indent, "");
        cua_cdi_string(edit->out, edit->folder, mount->host);
        fprintf(edit->out, "\n%*scontainerPath: %s\n", indent + 2, "", mount->container);
        fprintf(edit->out, "%*soptions: [ro, nosuid, nodev, bind]\n", indent + 2, "");
    }
    fprintf(edit->out, "%*s%s\n", indent, "", END);
}

/* The line that is `key:` alone, at `indent`, from `text` on and before what is less indented;
 * *end is where that begins. NULL where there is none. */
static const char *yaml_key(const char *text, int indent, const char *key, const char **end)
{
    const char *found = NULL;

    for (; *text; text += line_length(text)) {
        size_t blanks = strspn(text, " ");
        if (text[blanks] == '\n' || text[blanks] == '#')
            continue;
        if ((int)blanks < indent)
            break;
        if ((int)blanks == indent && strncmp(text + blanks, key, strlen(key)) == 0 &&
            text[blanks + strlen(key)] == ':')
            found = text;
    }
    *end = text;
    return found;
}

static void edit_yaml(struct edit *edit, const char *text)
{
    const char *end, *kind = yaml_key(text, 0, "kind", &end);
    const char *edits = yaml_key(text, 0, "containerEdits", &end);
    const char *at = edits ? edits + line_length(edits) : text + strlen(text);
    const char *mounts = edits ? yaml_key(at, 2, "mounts", &end) : NULL;
    const char *place = edits ? mounts ? mounts + line_length(mounts) : at : text + strlen(text);

    if (!edit->folder) {
        fputs(text, edit->out);
        return;
    }
    if (!kind) {
        edit->trouble = "no CDI specification";
        return;
    }
    if ((edits && strncmp(edits, "containerEdits:\n", 16) != 0) ||
        (mounts && strncmp(mounts, "  mounts:\n", 10) != 0) || strchr(text, '\t') ||
        strstr(text, "\n---") || strstr(text, "\n...")) {
        edit->trouble = "not in the form that nvidia-ctk writes";
        return;
    }
    fwrite(text, 1, (size_t)(place - text), edit->out);
    if (place > text && place[-1] != '\n')
        fputc('\n', edit->out);
    if (mounts)
        yaml_mounts(edit, "", *place == ' ' ? (int)strspn(place, " ") : 2);
    else
        yaml_mounts(edit, edits ? "  mounts:\n" : "containerEdits:\n  mounts:\n", 2);
    fputs(place, edit->out);
}

static char *read_spec(const char *file, struct stat *st)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    size_t size = 0;

    if (fd < 0)
        return NULL;
    if (cua_fstat(fd, st) != 0 || !S_ISREG(st->st_mode)) {
        close(fd);
        errno = EINVAL;
        return NULL;
    }
    char *text = cua_whole(fd, SPEC_MAX, &size);
    if (!text || strlen(text) == size)
        return text;
    free(text);
    errno = EINVAL;
    return NULL;
}

int cua_cdi_merge(const char *file, const char *folder, bool remove)
{
    struct edit edit = {.folder = remove ? NULL : folder};
    char real[PATH_MAX], *made = NULL, *plain = NULL;
    size_t size = 0;
    struct stat st;
    int error = 0;
    char *text = realpath(file, real) ? read_spec(real, &st) : NULL;

    if (!text) {
        cua_complain(file, "%s", strerror(errno));
        return CUA_EXIT_USAGE;
    }
    edit.out = open_memstream(&made, &size);
    if (!edit.out || !(plain = without_ours(text)))
        edit.trouble = errno == EBADMSG ? BEGIN " without its end" : strerror(errno);
    else if (text[strspn(text, " \t\r\n")] == '{')
        edit_json(&edit, text, strlen(text));
    else
        edit_yaml(&edit, plain);
    if (edit.out && fclose(edit.out) != 0)
        edit.trouble = strerror(errno);
    if (!edit.trouble && strcmp(made, text) != 0)
        error = cua_replace_file(real, made, size, st.st_mode & 07777, &st, false);
    if (edit.trouble || error)
        cua_complain("cdi", "%s: %s", file, edit.trouble ? edit.trouble : strerror(-error));
    else
        printf("%s: %s\n", file,
               strcmp(made, text) == 0 ? "nothing to do"
               : remove                ? "cuarbiter's mounts taken out"
                                       : "every container that asks for one of its devices gets "
                                         "cuarbiter");
    free(made);
    free(plain);
    free(text);
    return edit.trouble || error ? 1 : 0;
}
