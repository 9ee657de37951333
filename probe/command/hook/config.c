/* SPDX-License-Identifier: Apache-2.0 */
#include "command/hook/config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "command/hook/root.h"
#include "cuarbiter/names.h"

#define ANNOTATION   "cuarbiter-policy"
#define LEAST_MEMORY (32L << 20)

/* Driver nodes of desktop and data center GPUs, of Tegra, of WSL. */
static const char *const nodes[] = {"/dev/nvidia", "/dev/nvhost-", "/dev/nvmap", "/dev/dxg"};

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
void cua_config_annotations(struct cua_container *container, const struct cua_json *json)
{
    int all = cua_json_get(json, 0, "annotations");
    int own = cua_json_get(json, all, ANNOTATION);
    size_t length;

    /* Whoever wrote "Off" or "no" did not want it. */
    container->refuses |= own != -1;
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

/* Without CAP_SYS_ADMIN in its bounding set nothing in it can make a read-only mount writable. crun
 * takes the name in small letters too. */
static bool is_admin(const struct cua_json *json, int process)
{
    int list = cua_json_get(json, cua_json_get(json, process, "capabilities"), "bounding");
    char word[32];

    if (list < 0 || json->token[list].type != JSMN_ARRAY)
        return true;
    for (int i = 0, at = list + 1; i < json->token[list].size; i++, at = cua_json_after(json, at))
        if (!cua_json_string(json, at, word, sizeof(word)) || !strcasecmp(word, "CAP_SYS_ADMIN"))
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

/* As the kernel reads memory.max: "max", bytes, or 512K, 16M, 2G. */
static bool is_less(const char *text)
{
    char *end = NULL;
    unsigned long long bytes = strtoull(text, &end, 10);

    if (end == text)
        return false;
    if (*end == 'k' || *end == 'K')
        bytes <<= 10;
    else if (*end == 'm' || *end == 'M')
        bytes <<= 20;
    else if (*end)
        return false;
    return bytes < LEAST_MEMORY;
}

/* The kernel counts the copies and the hook itself for the container: one that is that small may
 * not start then, and has no use for a GPU. */
static bool is_small(const struct cua_json *json, int linux_part)
{
    int resources = cua_json_get(json, linux_part, "resources");
    int memory = cua_json_get(json, resources, "memory");
    int unified = cua_json_get(json, resources, "unified");
    long limit = cua_json_number(json, cua_json_get(json, memory, "limit"), LEAST_MEMORY);
    char most[24];

    if (cua_json_string(json, cua_json_get(json, unified, "memory.max"), most, sizeof(most)) &&
        is_less(most))
        return true;
    return limit > 0 && limit < LEAST_MEMORY;
}

/* runc masks folders after its hooks: the preload file would name a library that is not there. */
static bool is_masked(const struct cua_json *json, int linux_part)
{
    static const char folder[] = "/" CUA_HOOK_FOLDER;
    int list = cua_json_get(json, linux_part, "maskedPaths");
    char path[PATH_MAX];

    if (list < 0 || json->token[list].type != JSMN_ARRAY)
        return false;
    for (int i = 0, at = list + 1; i < json->token[list].size; i++, at = cua_json_after(json, at)) {
        if (!cua_json_string(json, at, path, sizeof(path)))
            return true;
        size_t length = strlen(path);
        while (length && path[length - 1] == '/')
            path[--length] = '\0';
        if (cua_below(folder, path) || cua_below(path, folder))
            return true;
    }
    return false;
}

int cua_config_read(struct cua_container *container, const struct cua_json *json)
{
    static const char *const device[] = {"path", NULL}, *const mount[] = {"source", "destination",
                                                                          NULL};
    int linux_part = cua_json_get(json, 0, "linux"), process = cua_json_get(json, 0, "process");
    int readonly = cua_json_get(json, cua_json_get(json, 0, "root"), "readonly");
    bool refuses;

    if (!is_apart(json, linux_part))
        return leave(container, "the mount namespace is not the container's", -EPERM);
    if (is_small(json, linux_part))
        return leave(container, "it has less than 32 MiB of memory", -ENOMEM);
    if (is_masked(json, linux_part))
        return leave(container, "/" CUA_HOOK_FOLDER " is masked", -EPERM);
    cua_config_annotations(container, json);
    refuses = container->refuses;
    read_list(container, json, cua_json_get(json, linux_part, "devices"), device);
    read_list(container, json, cua_json_get(json, 0, "mounts"), mount);
    read_list(container, json, cua_json_get(json, process, "env"), NULL);
    container->admin = is_admin(json, process);
    container->readonly = readonly >= 0 && json->text[json->token[readonly].start] == 't';
    container->refuses |= refuses;
    cua_json_string(json, cua_json_get(json, linux_part, "mountLabel"), container->label,
                    sizeof(container->label));
    return 0;
}
