/* SPDX-License-Identifier: Apache-2.0 */
#include "command/hook/container.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "base/whole.h"
#include "command/hook/kernel.h"
#include "cuarbiter/names.h"

#define MOST_STATE   ((size_t)1 << 20)
#define MOST_CONFIG  ((size_t)4 << 20)
#define ANNOTATION   "cuarbiter-policy"
#define LEAST_MEMORY (32L << 20)

/* Driver nodes of desktop and data center GPUs, of Tegra, of WSL. */
static const char *const nodes[] = {"/dev/nvidia", "/dev/nvhost-", "/dev/nvmap", "/dev/dxg"};

struct document {
    struct cua_json json;
    jsmntok_t *tokens;
    char *text;
};

/* Closes `fd`. */
static bool parse(struct document *document, int fd, size_t most)
{
    size_t size = 0;

    document->text = cua_whole(fd, most, &size);
    unsigned room = (unsigned)(size / 2 + 2);
    document->tokens = document->text ? malloc(room * sizeof(*document->tokens)) : NULL;
    return document->tokens &&
           cua_json_object(&document->json, document->text, size, document->tokens, room);
}

static void release(struct document *document)
{
    free(document->tokens);
    free(document->text);
}

static int leave(struct cua_container *container, const char *why, int error)
{
    container->why = why;
    return error;
}

/* The value behind `prefix` in the string at `at`, raw; NULL. */
static const char *behind(const struct cua_json *json, int at, const char *prefix, size_t *length)
{
    const jsmntok_t *token = &json->token[at];
    size_t begun = strlen(prefix), size = (size_t)(token->end - token->start);
    const char *text = json->text + token->start;

    if (token->type != JSMN_STRING || size < begun || memcmp(text, prefix, begun) != 0)
        return NULL;
    *length = size - begun;
    return text + begun;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

static bool is_node(const struct cua_json *json, int at)
{
    size_t length;

    for (size_t i = 0; at >= 0 && i < sizeof(nodes) / sizeof(*nodes); i++)
        if (behind(json, at, nodes[i], &length))
            return true;
    return false;
}

static void read_variable(struct cua_container *container, const struct cua_json *json, int at)
{
    size_t length;
    const char *value = behind(json, at, "NVIDIA_VISIBLE_DEVICES=", &length);

    if (value && length && !is_word(value, length, "void") && !is_word(value, length, "none"))
        container->gpu = true;
    value = behind(json, at, CUA_ENV_POLICY "=", &length);
    if (value)
        container->refuses = is_word(value, length, "off");
}

/* By the key alone: what is asked of the CDI devices of a cluster's plugin. */
static void read_annotations(struct cua_container *container, const struct cua_json *json, int top)
{
    int all = cua_json_get(json, top, "annotations");
    int own = cua_json_get(json, all, ANNOTATION);
    size_t length;
    char word[8];

    if (own == -2 ||
        (own >= 0 && cua_json_string(json, own, word, sizeof(word)) && strcmp(word, "off") == 0))
        container->refuses = true;
    if (all < 0 || json->token[all].type != JSMN_OBJECT)
        return;
    for (int at = all + 1; at < json->count && json->token[at].start < json->token[all].end;
         at = cua_json_after(json, at + 1))
        if (behind(json, at, "cdi.k8s.io/", &length) &&
            behind(json, at + 1, "nvidia.com/", &length))
            container->gpu = true;
}

static void read_list(struct cua_container *container, const struct cua_json *json, int list,
                      const char *const *keys)
{
    if (list < 0 || json->token[list].type != JSMN_ARRAY)
        return;
    for (int i = 0, at = list + 1; i < json->token[list].size; i++, at = cua_json_after(json, at)) {
        if (!keys)
            read_variable(container, json, at);
        for (size_t k = 0; keys && keys[k]; k++)
            container->gpu |= is_node(json, cua_json_get(json, at, keys[k]));
    }
}

/* Without CAP_SYS_ADMIN in its bounding set nothing in it can make a read-only mount writable. */
static bool is_admin(const struct cua_json *json, int process)
{
    int list = cua_json_get(json, cua_json_get(json, process, "capabilities"), "bounding");
    char word[32];

    if (list < 0 || json->token[list].type != JSMN_ARRAY)
        return true;
    for (int i = 0, at = list + 1; i < json->token[list].size; i++, at = cua_json_after(json, at))
        if (!cua_json_string(json, at, word, sizeof(word)) || !strcmp(word, "CAP_SYS_ADMIN"))
            return true;
    return false;
}

/* Without a mount namespace that is made for it, whatever is mounted here is the engine's too. */
static bool is_apart(const struct cua_json *json, int linux_part)
{
    int list = cua_json_get(json, linux_part, "namespaces");
    bool apart = false;
    char word[16];

    if (list < 0 || json->token[list].type != JSMN_ARRAY)
        return false;
    for (int i = 0, at = list + 1; i < json->token[list].size; i++, at = cua_json_after(json, at))
        if (cua_json_string(json, cua_json_get(json, at, "type"), word, sizeof(word)) &&
            strcmp(word, "mount") == 0) {
            if (apart || cua_json_get(json, at, "path") != -1)
                return false;
            apart = true;
        }
    return apart;
}

/* A hook named as poststart or poststop runs where the engine does. */
static bool has_started(const struct cua_json *state)
{
    char word[16];

    return cua_json_string(state, cua_json_get(state, 0, "status"), word, sizeof(word)) &&
           (strcmp(word, "running") == 0 || strcmp(word, "stopped") == 0);
}

/* The kernel counts the copies and the hook itself for the container: one that is that small may
 * not start then, and has no use for a GPU. */
static bool is_small(const struct cua_json *json, int linux_part)
{
    int memory = cua_json_get(json, cua_json_get(json, linux_part, "resources"), "memory");
    long limit = cua_json_number(json, cua_json_get(json, memory, "limit"), LEAST_MEMORY);

    return limit > 0 && limit < LEAST_MEMORY;
}

static void read_config(struct cua_container *container, const struct cua_json *json)
{
    static const char *const device[] = {"path", NULL}, *const mount[] = {"source", "destination",
                                                                          NULL};
    int linux_part = cua_json_get(json, 0, "linux"), process = cua_json_get(json, 0, "process");
    int readonly = cua_json_get(json, cua_json_get(json, 0, "root"), "readonly");
    bool refuses;

    read_annotations(container, json, 0);
    refuses = container->refuses;
    read_list(container, json, cua_json_get(json, linux_part, "devices"), device);
    read_list(container, json, cua_json_get(json, 0, "mounts"), mount);
    read_list(container, json, cua_json_get(json, process, "env"), NULL);
    container->admin = is_admin(json, process);
    container->readonly = readonly >= 0 && json->text[json->token[readonly].start] == 't';
    container->refuses |= refuses;
    cua_json_string(json, cua_json_get(json, linux_part, "mountLabel"), container->label,
                    sizeof(container->label));
}

static int open_root(struct cua_container *container, const struct cua_json *json, int bundle)
{
    char path[PATH_MAX];
    int at = cua_json_get(json, cua_json_get(json, 0, "root"), "path");

    if (!cua_json_string(json, at, path, sizeof(path)))
        return leave(container, "config.json has no root.path", -EINVAL);
    container->root = openat(bundle, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return container->root < 0 ? leave(container, "root.path", -errno) : 0;
}

/* In a user namespace the bundle may lie where this process may not look. crun names the root, runc
 * starts its hooks in it. What is in its environment is not known then, but the shim goes by it. */
static int open_root_alone(struct cua_container *container, const struct cua_json *state)
{
    char path[PATH_MAX] = ".";
    int at = cua_json_get(state, 0, "root");

    if (at != -1 && !cua_json_string(state, at, path, sizeof(path)))
        return leave(container, "the state's root", -EINVAL);
    container->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return container->root < 0 ? leave(container, "no bundle, no root", -errno) : 0;
}

static void look_for_nodes(struct cua_container *container)
{
    static const char *const files[] = {"dev/nvidiactl", "dev/nvhost-ctrl", "dev/dxg"};

    for (size_t i = 0; !container->gpu && i < sizeof(files) / sizeof(*files); i++) {
        int fd = cua_open_inside(container->root, files[i], O_PATH, 0, CUA_INSIDE);
        container->gpu = fd >= 0;
        if (fd >= 0)
            close(fd);
    }
}

static int read_bundle(struct cua_container *container, const struct cua_json *state)
{
    struct document config = {.text = NULL};
    char path[PATH_MAX];
    int error, bundle;

    if (!cua_json_string(state, cua_json_get(state, 0, "bundle"), path, sizeof(path)))
        return leave(container, "the state names no bundle", -EINVAL);
    bundle = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = bundle < 0
                 ? -1
                 : openat(bundle, "config.json", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        error = open_root_alone(container, state);
    } else if (!parse(&config, fd, MOST_CONFIG)) {
        error = leave(container, "config.json is none that can be read", -EINVAL);
    } else if (!is_apart(&config.json, cua_json_get(&config.json, 0, "linux"))) {
        error = leave(container, "the mount namespace is not the container's", -EPERM);
    } else if (is_small(&config.json, cua_json_get(&config.json, 0, "linux"))) {
        error = leave(container, "it has less than 32 MiB of memory", -ENOMEM);
    } else {
        read_config(container, &config.json);
        error = open_root(container, &config.json, bundle);
    }
    if (bundle >= 0)
        close(bundle);
    release(&config);
    return error;
}

int cua_container_read(struct cua_container *container, int state)
{
    struct document document = {.text = NULL};
    int error = 0;

    *container = (struct cua_container){.root = -1, .admin = true};
    if (!parse(&document, state, MOST_STATE))
        error = leave(container, "no state of a container on standard input", -EINVAL);
    else if (has_started(&document.json))
        error = leave(container, "it is not being made: name the hook as createContainer", -EPERM);
    if (!error) {
        cua_json_string(&document.json, cua_json_get(&document.json, 0, "id"), container->id,
                        sizeof(container->id));
        container->pid =
            cua_json_number(&document.json, cua_json_get(&document.json, 0, "pid"), INT_MAX);
        read_annotations(container, &document.json, 0);
        error = read_bundle(container, &document.json);
    }
    if (!error)
        look_for_nodes(container);
    release(&document);
    return error;
}
