/* SPDX-License-Identifier: Apache-2.0 */
#include "command/hook/container.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/whole.h"
#include "command/hook/config.h"
#include "command/hook/kernel.h"

#define MOST_STATE  ((size_t)1 << 20)
#define MOST_CONFIG ((size_t)4 << 20)

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

/* A hook named as poststart or poststop runs where the engine does. */
static bool has_started(const struct cua_json *state)
{
    char word[16];

    return cua_json_string(state, cua_json_get(state, 0, "status"), word, sizeof(word)) &&
           (strcmp(word, "running") == 0 || strcmp(word, "stopped") == 0);
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
 * starts its hooks in it. What is in its environment is not known then, but the shim goes by it.
 * It has a mount namespace of its own: in one of another user namespace nothing can be mounted. */
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
    if (fd < 0 && errno == EACCES) {
        error = open_root_alone(container, state);
    } else if (fd < 0) {
        /* A link, or another file that crun's --config named: it may say anything. */
        error = leave(container, "config.json", -errno);
    } else if (!parse(&config, fd, MOST_CONFIG)) {
        error = leave(container, "config.json is none that can be read", -EINVAL);
    } else {
        error = cua_config_read(container, &config.json);
        if (!error)
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
        cua_config_annotations(container, &document.json);
        error = read_bundle(container, &document.json);
    }
    if (!error)
        look_for_nodes(container);
    release(&document);
    return error;
}
