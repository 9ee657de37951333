/* SPDX-License-Identifier: Apache-2.0 */
/* way.h says what a way is, and when cuarbiter's OCI hook reaches it. */
#include "deploy/node/ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/cdi/merge.h"
#include "deploy/node/containerd.h"
#include "deploy/node/docker.h"
#include "deploy/node/engines.h"
#include "deploy/node/way.h"

#define HOOKS_ADMIN "/etc/containers/oci/hooks.d"
#define HOOKS_ALL   "/usr/share/containers/oci/hooks.d"

static void look_at_specs(struct cua_ways *ways)
{
    for (const char *const *file = cua_cdi_known; *file; file++) {
        if (!cua_engine_has(ways->root, *file))
            continue;
        bool merged = cua_way_names_hook(ways->root, *file);
        struct cua_specs *kind = strstr(*file, "k8s.device-plugin") ? &ways->plugin
                                 : strstr(*file, "management")      ? NULL
                                                                    : &ways->named;
        ways->specs.there++;
        ways->specs.merged += merged;
        if (kind) {
            kind->there++;
            kind->merged += merged;
        }
    }
}

/* Adds the way of `engine`, podman or CRI-O. Both start hooks from hooks.d. podman's users name the
 * devices of ways->named. So the hook also reaches podman's containers if all of these
 * specifications contain the hook. `folders`: hooks_dir in the engine's configuration; NULL or ""
 * if that is not set. */
static void add_hooks(struct cua_ways *ways, const char *engine, unsigned version,
                      const char *folders, const char *way)
{
    bool all = cua_way_names_hook(ways->root, HOOKS_ALL "/cuarbiter.json");
    bool admin = cua_way_names_hook(ways->root, HOOKS_ADMIN "/cuarbiter.json");
    bool podman = strcmp(engine, "podman") == 0;

    if (folders && folders[0]
            ? (admin && strstr(folders, HOOKS_ADMIN)) || (all && strstr(folders, HOOKS_ALL))
            : all)
        cua_way_add(ways, engine, version, CUA_REACHED, way, "hooks.d contains the hook", NULL);
    else if (ways->named.there && ways->named.merged == ways->named.there && podman)
        cua_way_add_cdi(ways, engine, version, way, &ways->named);
    else if (admin || all)
        cua_way_add(ways, engine, version, CUA_NOT_REACHED, way,
                    "hooks_dir does not name the folder with the hook",
                    admin    ? podman ? "name " HOOKS_ADMIN " in hooks_dir of containers.conf"
                                      : "name " HOOKS_ADMIN " in hooks_dir of crio.conf"
                    : podman ? "name " HOOKS_ALL " in hooks_dir of containers.conf"
                             : "name " HOOKS_ALL " in hooks_dir of crio.conf");
    else
        cua_way_add(ways, engine, version, CUA_NOT_REACHED, way,
                    "hooks.d does not contain the hook", "cuarbiter node on");
}

static void look_at_podman(struct cua_ways *ways)
{
    const char *const ask[] = {"podman", "--version", NULL};
    char folders[512] = "";

    if (!cua_engine_has(ways->root, "/usr/bin/podman"))
        return;
    ways->engines++;
    ways->reads_specs = ways->reads_hooks = true;
    char *text = ways->root[0] ? NULL : cua_engine_ask(ask);
    unsigned version = cua_engine_version(text);
    free(text);
    text = cua_engine_file(ways->root, "/etc/containers/containers.conf");
    cua_toml_get(text, "engine", "hooks_dir", folders, sizeof(folders));
    free(text);
    add_hooks(ways, "podman", version, folders, "podman run --device nvidia.com/gpu=…");
}

static void look_at_crio(struct cua_ways *ways)
{
    const char *const ask[] = {"crio", "status", "config", NULL};
    const char *const version_of[] = {"crio", "--version", NULL};
    char folders[512] = "";

    if (!cua_engine_has(ways->root, "/etc/crio") && !cua_engine_has(ways->root, "/usr/bin/crio"))
        return;
    ways->engines++;
    ways->reads_specs = ways->reads_hooks = true;
    char *text = ways->root[0] ? NULL : cua_engine_ask(version_of);
    unsigned version = cua_engine_version(text);
    free(text);
    text = ways->root[0] ? NULL : cua_engine_ask(ask);
    if (!text) {
        text = cua_engine_file(ways->root, "/etc/crio/crio.conf");
        cua_toml_get(text, "crio.runtime", "hooks_dir", folders, sizeof(folders));
        free(text);
        text = cua_engine_folder(ways->root, "/etc/crio/crio.conf.d", ".conf");
    }
    cua_toml_get(text, "crio.runtime", "hooks_dir", folders, sizeof(folders));
    free(text);
    add_hooks(ways, "CRI-O", version, folders, "pods, with every strategy of the device plugin");
}

void cua_ways_find(struct cua_ways *ways)
{
    ways->hooks = cua_way_names_hook(ways->root, HOOKS_ALL "/cuarbiter.json") ||
                  cua_way_names_hook(ways->root, HOOKS_ADMIN "/cuarbiter.json");
    look_at_specs(ways);
    look_at_podman(ways);
    look_at_crio(ways);
    cua_ways_containerd(ways);
    cua_ways_docker(ways);
}

int cua_ways_code(const struct cua_ways *ways)
{
    int code = 0, counted = 0;

    /* Count the ways of engines that run. If there are none, count the others. */
    for (int idle = 0; idle < 2 && !counted; idle++)
        for (size_t i = 0; i < ways->count; i++) {
            if (ways->way[i].idle != (idle != 0))
                continue;
            counted++;
            if (ways->way[i].reach == CUA_NOT_REACHED)
                return 1;
            if (ways->way[i].reach == CUA_REACH_UNKNOWN)
                code = 3;
        }
    return counted ? code : 3;
}

bool cua_ways_no_reader(void)
{
    struct cua_ways ways = {.root = ""};

    cua_ways_find(&ways);
    return ways.engines && !ways.reads_specs;
}
