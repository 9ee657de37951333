/* SPDX-License-Identifier: Apache-2.0 */
/* way.h says what a way is, and when cuarbiter's OCI hook reaches it. */
#include "deploy/node/docker.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "deploy/node/engines.h"
#include "deploy/node/way.h"

#define ENGINE "Docker"

/* Versions as major * 1000 + minor. Docker has CDI from 25 on (features.cdi in daemon.json); it is
 * on by default from 28.2 on. The option --gpus can use CDI from 29 on (moby#50228). */
#define CDI_FIRST   25000
#define CDI_DEFAULT 28002
#define GPUS_BY_CDI 29000

#define CDI_ON "set \"features\": {\"cdi\": true} in /etc/docker/daemon.json"

struct docker {
    unsigned version;
    int cdi;              /* whether CDI is on: 1 yes, 0 no, -1 not known */
    struct cua_json info; /* parsed output of docker info, or parsed daemon.json */
    int runtimes;         /* token of the member "runtimes" in `info`; -1: none */
};

static void tell_how(struct cua_ways *ways, const struct docker *docker)
{
    const char *device = !ways->named.there ? ""
                         : ways->named.merged < ways->named.there
                             ? "run cuarbiter cdi --merge, then start containers with --device "
                               "nvidia.com/gpu=all; or "
                             : "start containers with --device nvidia.com/gpu=all; or ";

    /* Without CDI Docker knows none of the devices, whatever specifications there are. */
    const char *on = docker->cdi == 0 ? CDI_ON " and restart Docker, then " : "";

    if (docker->version && docker->version < CDI_FIRST)
        cua_copy(ways->docker_command, sizeof(ways->docker_command),
                 "name cuarbiter in docker run itself (docs/quick-start.md)");
    else
        snprintf(ways->docker_command, sizeof(ways->docker_command),
                 "%s%srun cuarbiter cdi --output /etc/cdi/cuarbiter.json, and add --device "
                 "cuarbiter/shim=on to docker run",
                 on, device);
}

static void add_runtimes(struct cua_ways *ways, const struct docker *docker)
{
    const struct cua_json *json = &docker->info;
    int all = docker->runtimes;
    char name[64], path[PATH_MAX];

    if (all < 0 || json->token[all].type != JSMN_OBJECT)
        return;
    for (int at = all + 1; at < json->count && json->token[at].start < json->token[all].end;
         at = cua_json_after(json, at + 1))
        if (cua_json_string(json, at, name, sizeof(name)) &&
            cua_json_string(json, cua_json_get(json, at + 1, "path"), path, sizeof(path)) &&
            cua_way_is_nvidia(path))
            cua_way_add_runtime(ways, ENGINE, docker->version, name, cua_basename(path));
}

static void add_gpus(struct cua_ways *ways, const struct docker *docker)
{
    bool hook = cua_engine_has(ways->root, "/usr/bin/nvidia-container-runtime-hook");
    bool cdi = cua_engine_has(ways->root, "/usr/bin/nvidia-cdi-hook");
    static const char way[] = "docker run --gpus";

    if (!hook && !cdi)
        return;
    if (!docker->version)
        cua_way_add(ways, ENGINE, 0, CUA_REACH_UNKNOWN, way, "its version is not known",
                    ways->docker_command);
    else if (docker->version < GPUS_BY_CDI)
        cua_way_add(
            ways, ENGINE, docker->version, CUA_NOT_REACHED, way,
            "before 29 --gpus runs nvidia-container-runtime-hook, and reads no CDI specification",
            ways->docker_command);
    else if (cdi && hook)
        cua_way_add(ways, ENGINE, docker->version, CUA_REACH_UNKNOWN, way,
                    "both of NVIDIA's hooks are installed, and which of them it runs depends on "
                    "the build of Docker (moby#50228, moby#52704)",
                    ways->docker_command);
    else if (cdi)
        cua_way_add_cdi(ways, ENGINE, docker->version, way, &ways->named);
    else
        cua_way_add(ways, ENGINE, docker->version, CUA_NOT_REACHED, way,
                    "without nvidia-cdi-hook it reads no CDI specification", ways->docker_command);
}

static void add_device(struct cua_ways *ways, const struct docker *docker)
{
    static const char way[] = "docker run --device nvidia.com/gpu=…";

    if (docker->cdi > 0) {
        ways->reads_specs = true;
        /* Without a specification of these devices nobody can use this way. */
        if (ways->named.there)
            cua_way_add_cdi(ways, ENGINE, docker->version, way, &ways->named);
    } else if (docker->cdi < 0) {
        ways->reads_specs = true;
        cua_way_add(ways, ENGINE, docker->version, CUA_REACH_UNKNOWN, way,
                    "its version is not known, and CDI is on by default from 28.2 on",
                    CUA_WAY_MERGE);
    } else if (ways->named.there) {
        cua_way_add(
            ways, ENGINE, docker->version, CUA_NOT_REACHED, way,
            docker->version && docker->version < CDI_FIRST ? "before 25 it does not support CDI"
                                                           : "CDI is off",
            docker->version && docker->version < CDI_FIRST ? NULL : CDI_ON " and restart Docker");
    }
}

/* Reads Docker's settings from docker->info, and adds its ways to the list. `asked`: docker->info
 * is from docker info; else it is daemon.json. */
static void look(struct cua_ways *ways, struct docker *docker, bool asked)
{
    const struct cua_json *json = &docker->info;
    char word[64];

    if (json->count && asked) {
        if (cua_json_string(json, cua_json_get(json, 0, "ServerVersion"), word, sizeof(word)))
            docker->version = cua_engine_version(word);
        int folders = cua_json_get(json, 0, "CDISpecDirs");
        docker->cdi = folders >= 0 && json->token[folders].size > 0;
        docker->runtimes = cua_json_get(json, 0, "Runtimes");
    } else if (json->count) {
        int on = cua_json_get(json, cua_json_get(json, 0, "features"), "cdi");
        docker->cdi = on < 0 ? -1 : json->text[json->token[on].start] == 't';
        docker->runtimes = cua_json_get(json, 0, "runtimes");
    }
    if (docker->cdi < 0 && docker->version)
        docker->cdi = docker->version >= CDI_DEFAULT;
    tell_how(ways, docker);
    add_device(ways, docker);
    add_gpus(ways, docker);
    add_runtimes(ways, docker);
}

void cua_ways_docker(struct cua_ways *ways)
{
    static const char *const ask[] = {"docker", "info", "--format", "{{json .}}", NULL};
    static const char *const version_of[] = {"dockerd", "--version", NULL};
    struct docker docker = {.cdi = -1, .runtimes = -1};
    jsmntok_t *tokens = NULL;

    char *text = ways->root[0] ? NULL : cua_engine_ask(ask);
    bool asked =
        text && strstr(text, "\"ServerVersion\":\"") && !strstr(text, "\"ServerVersion\":\"\"");
    /* If dockerd answers, do not look for its program, which in Debian is in /usr/sbin, not in
     * /usr/bin. */
    if (!asked && !cua_engine_has(ways->root, "/usr/bin/dockerd") &&
        !cua_engine_has(ways->root, "/etc/docker/daemon.json")) {
        free(text);
        return;
    }
    ways->engines++;
    if (!asked) {
        free(text);
        text = ways->root[0] ? NULL : cua_engine_ask(version_of);
        docker.version = cua_engine_version(text);
        free(text);
        text = cua_engine_file(ways->root, "/etc/docker/daemon.json");
    }
    if (text) {
        unsigned room = (unsigned)strlen(text) / 2 + 2;
        tokens = malloc(room * sizeof(*tokens));
        if (!tokens || !cua_json_object(&docker.info, text, strlen(text), tokens, room))
            docker.info.count = 0;
    }
    ways->idle = !ways->root[0] && !asked;
    look(ways, &docker, asked);
    ways->idle = false;
    free(tokens);
    free(text);
}
