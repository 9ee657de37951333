/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/hook/container.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/whole.h"
#include "deploy/hook/config.h"
#include "deploy/hook/kernel.h"

#define MOST_STATE  ((size_t)1 << 20)
#define MOST_CONFIG ((size_t)4 << 20)

struct document {
    struct cua_json json;
    jsmntok_t *tokens;
    char *text;
};

/* Reads and parses a document, the state or config.json; closes `fd`. False if it cannot be read,
 * is longer than `most`, or is not one JSON object. Either way, call release(). */
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

/* Whether the container has already started. If it has, the hook was wrongly configured as
 * poststart or poststop, and runs in the engine's namespaces. */
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
    return container->root < 0 ? leave(container, "the folder root.path of config.json", -errno)
                               : 0;
}

/* Opens the root folder without config.json, for a hook that may not read the bundle (EACCES),
 * which can happen in a user namespace. crun names the root folder in the state; runc makes it the
 * hook's working directory. What config.json says stays unknown. Two of its settings still take
 * effect:
 * - CUARBITER_POLICY=off in the container's environment: the library that the hook adds obeys it.
 * - No new mount namespace: the container then has the engine's, which belongs to another user
 *   namespace. The hook can mount nothing there. */
static int open_root_alone(struct cua_container *container, const struct cua_json *state)
{
    char path[PATH_MAX] = ".";
    int at = cua_json_get(state, 0, "root");

    if (at != -1 && !cua_json_string(state, at, path, sizeof(path)))
        return leave(container, "the root folder that the container's state names", -EINVAL);
    container->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return container->root < 0
               ? leave(container, "neither config.json nor the root folder can be opened", -errno)
               : 0;
}

bool cua_container_has_gpu(int root)
{
    static const char *const files[] = {"dev/nvidiactl", "dev/nvhost-ctrl", "dev/dxg"};

    bool has = false;

    for (size_t i = 0; !has && i < sizeof(files) / sizeof(*files); i++) {
        int fd = cua_open_inside(root, files[i], O_PATH, 0, CUA_INSIDE);
        has = fd >= 0;
        if (fd >= 0)
            close(fd);
    }
    return has;
}

static int read_bundle(struct cua_container *container, const struct cua_json *state)
{
    struct document config = {.text = NULL};
    char path[PATH_MAX];
    int error, bundle;

    if (!cua_json_string(state, cua_json_get(state, 0, "bundle"), path, sizeof(path)))
        return leave(container, "the container's state names no bundle", -EINVAL);
    bundle = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = bundle < 0
                 ? -1
                 : openat(bundle, "config.json", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == EACCES) {
        error = open_root_alone(container, state);
    } else if (fd < 0) {
        /* Leave the container alone. config.json may be a link, which is not trusted. Or it may be
         * missing: with crun's option --config another file describes the container. */
        error = leave(container, "config.json", -errno);
    } else if (!parse(&config, fd, MOST_CONFIG)) {
        error = leave(container, "config.json is not valid JSON, or too large", -EINVAL);
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

    *container = (struct cua_container){.root = -1, .mighty = true};
    container->read = parse(&document, state, MOST_STATE);
    if (!container->read)
        error = leave(container, "standard input has no valid container state (JSON)", -EINVAL);
    else if (has_started(&document.json))
        error = leave(container,
                      "the container has started already: configure the hook as createContainer",
                      -EPERM);
    if (!error) {
        cua_json_string(&document.json, cua_json_get(&document.json, 0, "id"), container->id,
                        sizeof(container->id));
        container->pid =
            cua_json_number(&document.json, cua_json_get(&document.json, 0, "pid"), INT_MAX);
        cua_config_annotations(container, &document.json);
        error = read_bundle(container, &document.json);
    }
    if (!error)
        container->gpu = container->gpu || cua_container_has_gpu(container->root);
    release(&document);
    return error;
}
