/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/dockerfile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define JSMN_STATIC
#define JSMN_STRICT
#define JSMN_PARENT_LINKS
#include <jsmn.h>

#include "base/json.h"
#include "cuarbiter/names.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/verb.h"

#define INPUT_MAX       ((size_t)16 << 20)
#define ENTRYPOINT_FILE "cuarbiter-entrypoint"

struct inspected {
    char *bytes;
    jsmntok_t *tokens;
    int count;
};

struct choice {
    const char *from; /* --from: the source in the COPY line */
    const char *to;   /* --to: the folder in the image, without a slash at its end */
    bool env;         /* set LD_PRELOAD by ENV, instead of an ENTRYPOINT */
};

static char *read_all(FILE *file, size_t *size)
{
    char *bytes = NULL;
    size_t room = 0;
    *size = 0;
    for (;;) {
        if (*size == room) {
            room = room ? 2 * room : 65536;
            char *more = room > INPUT_MAX ? NULL : realloc(bytes, room);
            if (!more) {
                free(bytes);
                errno = room > INPUT_MAX ? EFBIG : ENOMEM;
                return NULL;
            }
            bytes = more;
        }
        size_t got = fread(bytes + *size, 1, room - *size, file);
        *size += got;
        if (!got)
            break;
    }
    if (ferror(file)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

static int next_sibling(const struct inspected *in, int token)
{
    int end = in->tokens[token].end;
    do
        token++;
    while (token < in->count && in->tokens[token].start < end);
    return token;
}

/* Returns the index of the token that is the value of `key` in an object; -1 if there is none.
 * Ignores case, because Docker writes Config where OCI writes config. */
static int member(const struct inspected *in, int object, const char *key)
{
    if (object < 0 || in->tokens[object].type != JSMN_OBJECT)
        return -1;
    int token = object + 1;
    for (int i = 0; i < in->tokens[object].size && token + 1 < in->count; i++) {
        const jsmntok_t *name = &in->tokens[token];
        size_t length = (size_t)(name->end - name->start);
        if (length == strlen(key) && !strncasecmp(in->bytes + name->start, key, length))
            return token + 1;
        token = next_sibling(in, token + 1);
    }
    return -1;
}

static int find_config(const struct inspected *in)
{
    int root = 0;
    if (in->tokens[0].type == JSMN_ARRAY) {
        if (in->tokens[0].size != 1)
            return -1;
        root = 1;
    }
    /* The configuration is the member "config" of the outer object. For buildah it is in one of the
     * inner objects "OCIv1" and "Docker", because the outer "Config" is a string. */
    static const char *const around[] = {NULL, "OCIv1", "Docker"};
    for (size_t i = 0; i < sizeof(around) / sizeof(*around); i++) {
        int config = member(in, around[i] ? member(in, root, around[i]) : root, "config");
        if (config >= 0 && in->tokens[config].type == JSMN_OBJECT)
            return config;
    }
    return -1;
}

static int array_size(const struct inspected *in, int array)
{
    return array >= 0 && in->tokens[array].type == JSMN_ARRAY ? in->tokens[array].size : 0;
}

static bool is_word_list(const struct inspected *in, int token)
{
    if (token < 0 || in->tokens[token].type == JSMN_PRIMITIVE) /* missing, or a literal: null */
        return true;
    if (in->tokens[token].type != JSMN_ARRAY)
        return false;
    for (int i = 1; i <= in->tokens[token].size; i++)
        if (in->tokens[token + i].type != JSMN_STRING)
            return false;
    return true;
}

/* Whether any string of the text contains control characters. JSON forbids them, but the parser
 * accepts some; a newline would end a line of the Dockerfile. */
static bool has_controls(const struct inspected *in)
{
    for (int i = 0; i < in->count; i++)
        for (int at = in->tokens[i].start;
             in->tokens[i].type == JSMN_STRING && at < in->tokens[i].end; at++)
            if ((unsigned char)in->bytes[at] < 0x20)
                return true;
    return false;
}

static void print_text(const struct inspected *in, int token)
{
    printf("%.*s", in->tokens[token].end - in->tokens[token].start,
           in->bytes + in->tokens[token].start);
}

static void print_line(const struct inspected *in, const char *word, const char *first, int array)
{
    printf("%s [", word);
    if (first)
        printf("\"%s\"", first);
    for (int i = 1; i <= array_size(in, array); i++) {
        if (first || i > 1)
            fputs(", ", stdout);
        putchar('"');
        print_text(in, array + i);
        putchar('"');
    }
    puts("]");
}

static void print_env(const struct inspected *in, int config, const struct choice *choice)
{
    static const char name[] = "LD_PRELOAD=";
    int env = member(in, config, "Env");
    printf("# Second choice: some policies refuse images that set LD_PRELOAD, and ld.so prints a "
           "line\n"
           "# for each process of another architecture or with a library that is not there.\n"
           "ENV LD_PRELOAD=\"");
    for (int i = 1; i <= array_size(in, env); i++) {
        const jsmntok_t *token = &in->tokens[env + i];
        size_t length = (size_t)(token->end - token->start);
        if (length <= strlen(name) || strncmp(in->bytes + token->start, name, strlen(name)))
            continue;
        for (int at = token->start + (int)strlen(name); at < token->end; at++) {
            if (in->bytes[at] == '$') /* escape it, so that "$LIB" reaches the loader */
                putchar('\\');
            putchar(in->bytes[at]);
        }
        putchar(':');
    }
    printf("%s/" CUA_FILE_SHIM "\"\n", choice->to);
}

/* Prints the lines ENTRYPOINT and CMD. The line ENTRYPOINT begins with the program ENTRYPOINT_FILE,
 * which sets LD_PRELOAD and executes its arguments. The words of the image's own ENTRYPOINT follow.
 * If they already begin with the program, the program is not added again. CMD is repeated, because
 * a new ENTRYPOINT drops the CMD that the image inherits. */
static void print_entrypoint(const struct inspected *in, int config, const struct choice *choice)
{
    char script[512];
    int length = snprintf(script, sizeof(script), "%s/" ENTRYPOINT_FILE, choice->to);
    int entrypoint = member(in, config, "Entrypoint");
    int cmd = member(in, config, "Cmd");
    const char *first = script;
    if (array_size(in, entrypoint)) {
        const jsmntok_t *token = &in->tokens[entrypoint + 1];
        if (token->end - token->start == length &&
            !strncmp(in->bytes + token->start, script, (size_t)length))
            first = NULL;
    }
    print_line(in, "ENTRYPOINT", first, entrypoint);
    if (array_size(in, cmd))
        print_line(in, "CMD", NULL, cmd);
}

/* For an image that sets CUDA_VERSION, prints a note about NVIDIA's hook, which makes ld.so find
 * the image's bundled driver first. The image's configuration does not show whether the image
 * bundles a driver, so the note says "if". */
static void print_hook(const struct inspected *in, int config)
{
    static const char name[] = "CUDA_VERSION=";
    int env = member(in, config, "Env");

    for (int i = 1; i <= array_size(in, env); i++) {
        const jsmntok_t *token = &in->tokens[env + i];
        const char *text = in->bytes + token->start;
        int length = token->end - token->start - (int)strlen(name);
        if (length <= 0 || length > 16 || strncmp(text, name, strlen(name)) != 0)
            continue;
        printf(
            "# An image of CUDA %.*s. If it has /usr/local/cuda/compat, NVIDIA's container toolkit "
            "(1.17.5 and\n"
            "# later) puts that driver before the host's older one, also on a GeForce, where it "
            "fails with error 804.\n"
            "# cuarbiter decides after that. Both drivers: \"cuarbiter status --sysroot DIR "
            "--kmd VERSION --gpu MODEL\".\n",
            length, text + strlen(name));
        return;
    }
}

/* Prints the FROM line. It has the image's name as docker and podman report it (RepoTags), else as
 * buildah reports it (FromImage). If there is no name, the line has a build argument, and the user
 * must pass the name to the build (--build-arg). */
static void print_from(const struct inspected *in)
{
    int root = in->tokens[0].type == JSMN_ARRAY ? 1 : 0;
    int tags = member(in, root, "RepoTags"), name = member(in, root, "FromImage");

    if (array_size(in, tags))
        name = tags + 1;
    if (name >= 0 && in->tokens[name].type == JSMN_STRING &&
        in->tokens[name].end > in->tokens[name].start) {
        printf("FROM ");
        print_text(in, name);
        putchar('\n');
    } else {
        puts("# The image has no name: --build-arg IMAGE=NAME\nARG IMAGE\nFROM ${IMAGE}");
    }
}

static int print_lines(char *bytes, size_t size, const struct choice *choice)
{
    struct inspected in = {.bytes = bytes};
    int result = 1;
    jsmn_parser parser;
    if (!cua_json_flat(bytes, size)) {
        cua_complain("dockerfile", "standard input: nested too deeply");
        return 1;
    }
    jsmn_init(&parser);
    int count = jsmn_parse(&parser, bytes, size, NULL, 0);
    if (count <= 0) {
        cua_complain("dockerfile", "standard input: not JSON");
        return 1;
    }
    in.tokens = calloc((size_t)count, sizeof(*in.tokens));
    if (!in.tokens) {
        cua_complain("dockerfile", "%s", strerror(ENOMEM));
        return 1;
    }
    jsmn_init(&parser);
    in.count = jsmn_parse(&parser, bytes, size, in.tokens, (unsigned)count);
    int config = in.count == count ? find_config(&in) : -1;
    if (in.count == count && has_controls(&in)) {
        cua_complain("dockerfile", "standard input: not JSON");
    } else if (config < 0) {
        cua_complain("dockerfile",
                     "standard input: not what `docker inspect` prints for one image");
    } else if (!is_word_list(&in, member(&in, config, "Entrypoint")) ||
               !is_word_list(&in, member(&in, config, "Cmd")) ||
               !is_word_list(&in, member(&in, config, "Env"))) {
        cua_complain("dockerfile", "standard input: ENTRYPOINT, CMD or ENV is not a list of "
                                   "strings; inspect the image, not a container");
    } else {
        print_from(&in);
        print_hook(&in, config);
        printf("COPY %s %s/\n", choice->from, choice->to);
        if (choice->env)
            print_env(&in, config, choice);
        else
            print_entrypoint(&in, config, choice);
        result = 0;
    }
    free(in.tokens);
    return result;
}

/* Whether a path is not empty and can stand as it is in a COPY line, in a JSON string and in
 * LD_PRELOAD. */
static bool plain(const char *path)
{
    return *path && !path[strcspn(path, " \t\r\n\"'\\$:[]")];
}

static int run(int argc, char **argv)
{
    struct choice choice = {.from = "dist/", .to = "/opt/cuarbiter"};
    const char *output = NULL;
    int option, code = 0;
    while ((option = cua_option(&cua_verb_dockerfile, argc, argv, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        if (option == 'f')
            choice.from = optarg;
        else if (option == 't')
            choice.to = optarg;
        else if (option == 'o')
            output = optarg;
        else
            choice.env = true;
    }
    if (optind < argc)
        return cua_usage(
            &cua_verb_dockerfile,
            "it takes no argument; it reads the image's description from standard input");
    if (!plain(choice.from) || !plain(choice.to) || choice.to[0] != '/' ||
        choice.to[strlen(choice.to) - 1] == '/')
        return cua_usage(
            &cua_verb_dockerfile,
            "--from and --to must not be empty or contain blanks or one of \" ' \\ $ : [ ]; "
            "--to must be absolute and must not end with a slash");

    size_t size;
    char *bytes = read_all(stdin, &size);
    if (!bytes) {
        cua_complain("dockerfile", "standard input: %s", strerror(errno));
        return 1;
    }
    int result =
        output && cua_output_to(output) ? CUA_EXIT_USAGE : print_lines(bytes, size, &choice);
    free(bytes);
    return result;
}

const struct cua_verb cua_verb_dockerfile = {
    .name = "dockerfile",
    .run = run,
};
