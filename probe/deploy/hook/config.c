/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/hook/config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "deploy/hook/root.h"
#include "cuarbiter/names.h"

#define LEAST_MEMORY (32L << 20)

/* How the paths of the driver's device files begin: for desktop and data-centre GPUs, for Tegra
 * (two) and for WSL. A container has a GPU if config.json names such a path as a device or in a
 * mount. Two other signs of a GPU are annotations (cua_config_annotations), and device files that
 * lie in the container's root already (cua_container_has_gpu). NVIDIA_VISIBLE_DEVICES is not looked
 * at: every CUDA image sets it, and a runtime that obeys the variable has added the device files,
 * to config.json or to the root, before the hook runs. */
static const char *const nodes[] = {"/dev/nvidia", "/dev/nvhost-", "/dev/nvmap", "/dev/dxg"};

static int leave(struct cua_container *container, const char *why, int error)
{
    container->why = why;
    return error;
}

/* Returns what follows `prefix` in the string token at index `at`; JSON escapes in it are not
 * decoded. NULL if the token is no string or does not begin with `prefix`. */
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
    const char *value = behind(json, at, CUA_ENV_POLICY "=", &length);

    if (!value)
        return;
    container->refuses = is_word(value, length, "off");
    if (!cua_copy_n(container->policy, sizeof(container->policy), value, length))
        strcpy(container->policy, "too long");
}

/* Reads the names that containerd and CRI-O write into annotations; Docker and podman write
 * none. */
static void read_names(struct cua_container *container, const struct cua_json *json, int all)
{
    const struct {
        const char *containerd, *crio;
        char *text;
    } rows[] = {
        {"io.kubernetes.cri.sandbox-namespace", "io.kubernetes.pod.namespace",
         container->namespace},
        {"io.kubernetes.cri.sandbox-name", "io.kubernetes.pod.name", container->pod},
        {"io.kubernetes.cri.container-name", "io.kubernetes.container.name", container->name},
        {"io.kubernetes.cri.image-name", "io.kubernetes.cri-o.ImageName", container->image},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (!rows[i].text[0] && !cua_json_string(json, cua_json_get(json, all, rows[i].containerd),
                                                 rows[i].text, sizeof(container->pod)))
            cua_json_string(json, cua_json_get(json, all, rows[i].crio), rows[i].text,
                            sizeof(container->pod));
}

/* Reads cuarbiter's own annotation, and those by which a device plugin asks for devices. The key of
 * the latter begins with cdi.k8s.io/. If the value begins with nvidia.com/, the plugin asks for a
 * GPU. */
void cua_config_annotations(struct cua_container *container, const struct cua_json *json)
{
    int all = cua_json_get(json, 0, "annotations");
    int own = cua_json_get(json, all, CUA_HOOK_ANNOTATION);
    size_t length;

    /* Any value counts as a refusal: "off", but also "Off" or "no". */
    container->refuses |= own != -1;
    if (all < 0 || json->token[all].type != JSMN_OBJECT)
        return;
    read_names(container, json, all);
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

/* Whether a capability is harmless. A container with only harmless capabilities cannot make a
 * read-only mount writable, and cannot read a mount's file system outside the mounted folder
 * (open_by_handle_at(2)). A capability that is not in the list, such as one from a newer kernel,
 * counts as harmful. Case is ignored, because crun accepts lower case. Numbers, which crun accepts
 * too, count as harmful. */
static bool is_harmless(const char *name)
{
    static const char *const harmless[] = {
        "CAP_CHOWN",     "CAP_DAC_OVERRIDE",     "CAP_FOWNER",      "CAP_FSETID",
        "CAP_KILL",      "CAP_SETGID",           "CAP_SETUID",      "CAP_SETPCAP",
        "CAP_IPC_LOCK",  "CAP_NET_BIND_SERVICE", "CAP_NET_ADMIN",   "CAP_NET_RAW",
        "CAP_IPC_OWNER", "CAP_SYS_CHROOT",       "CAP_SYS_NICE",    "CAP_SYS_RESOURCE",
        "CAP_MKNOD",     "CAP_SETFCAP",          "CAP_AUDIT_WRITE",
    };

    for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
        if (strcasecmp(name, harmless[i]) == 0)
            return true;
    return false;
}

static bool is_mighty(const struct cua_json *json, int process)
{
    int sets = cua_json_get(json, process, "capabilities");
    char word[32];

    if (cua_json_get(json, sets, "bounding") < 0 || json->token[sets].type != JSMN_OBJECT)
        return true;
    for (int at = sets + 1; at < json->count && json->token[at].start < json->token[sets].end; at++)
        if (json->token[at].type == JSMN_STRING && !json->token[at].size &&
            (!cua_json_string(json, at, word, sizeof(word)) || !is_harmless(word)))
            return true;
    return false;
}

/* Whether config.json gives the container a new mount namespace: it has exactly one entry of the
 * type mount, and the entry has no path, which would name an existing namespace. Otherwise the
 * hook's mounts would appear in the namespace of the engine or of another container. */
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

/* Whether a memory limit is less than LEAST_MEMORY. `text` has the form of memory.max: "max",
 * bytes, or 512K, 16M, 2G. Limits in G are never less. */
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

/* Whether the container's memory limit is less than LEAST_MEMORY. The kernel charges the hook's
 * memory and its copies to the container, so a container with such a limit might not start. Such a
 * container could not use a GPU anyway. */
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

/* Whether the runtime will mask CUA_HOOK_FOLDER, where the hook mounts the shim, or a folder above
 * it, or something in it. True also if a masked path cannot be read. runc masks after the hooks
 * have run. So the mask could hide the shim, while the container's ld.so.preload names it. */
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
        return leave(container, "the container has no mount namespace of its own", -EPERM);
    if (is_small(json, linux_part))
        return leave(container, "its memory limit is below 32 MiB", -ENOMEM);
    if (is_masked(json, linux_part))
        return leave(container, "a masked path hides /" CUA_HOOK_FOLDER " or a part of it", -EPERM);
    cua_config_annotations(container, json);
    refuses = container->refuses;
    read_list(container, json, cua_json_get(json, linux_part, "devices"), device);
    read_list(container, json, cua_json_get(json, 0, "mounts"), mount);
    read_list(container, json, cua_json_get(json, process, "env"), NULL);
    container->mighty = is_mighty(json, process);
    container->readonly = readonly >= 0 && json->text[json->token[readonly].start] == 't';
    container->refuses |= refuses;
    cua_json_string(json, cua_json_get(json, linux_part, "mountLabel"), container->label,
                    sizeof(container->label));
    return 0;
}
