/* SPDX-License-Identifier: Apache-2.0 */
/* way.h says what a way is, and when cuarbiter's OCI hook reaches it. */
#include "deploy/node/way.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cuarbiter/names.h"
#include "deploy/hook/wrapper.h"
#include "deploy/node/engines.h"
#include "deploy/node/nvidia_config.h"

void cua_way_add(struct cua_ways *ways, const char *engine, unsigned version, enum cua_reach reach,
                 const char *way, const char *why, const char *command)
{
    struct cua_way *new = &ways->way[ways->count];

    if (ways->count == CUA_WAYS_MOST)
        return;
    ways->count++;
    *new =
        (struct cua_way){.engine = engine, .reach = reach, .idle = ways->idle, .command = command};
    if (version)
        snprintf(new->version, sizeof(new->version), "%u.%u", version / 1000, version % 1000);
    snprintf(new->way, sizeof(new->way), "%s", way);
    snprintf(new->why, sizeof(new->why), "%s", why);
}

void cua_way_add_cdi(struct cua_ways *ways, const char *engine, unsigned version, const char *way,
                     const struct cua_specs *specs)
{
    if (!specs->there)
        cua_way_add(ways, engine, version, CUA_REACH_UNKNOWN, way,
                    "NVIDIA's tools have written no CDI specification yet", CUA_WAY_GENERATE);
    else if (specs->merged < specs->there)
        cua_way_add(ways, engine, version, CUA_NOT_REACHED, way,
                    "a CDI specification does not contain the hook", CUA_WAY_MERGE);
    else
        cua_way_add(ways, engine, version, CUA_REACHED, way,
                    "the CDI specifications contain the hook", NULL);
}

/* Finds out in which mode the runtime runs: from NVIDIA's config.toml, or from the file name of the
 * runtime's program. The mode shows whether the hook reaches the runtime's containers. In the mode
 * "auto" that depends on the container:
 * - If it names CDI devices, the runtime uses the CDI specifications, which can contain the hook.
 * - If it sets NVIDIA_VISIBLE_DEVICES, the runtime uses libnvidia-container or, since version 1.18,
 *   a specification that it makes in memory (jit-cdi). Neither contains the hook.
 * So the mode "auto" counts as not reached. */
void cua_way_add_runtime(struct cua_ways *ways, const char *engine, unsigned version,
                         const char *name, const char *binary)
{
    char mode[64] = "auto", way[128], why[200];

    for (size_t i = 0; i < CUA_NVIDIA_CONFIGS; i++) {
        char *text = cua_engine_file(ways->root, cua_nvidia_configs[i]);
        bool found = cua_toml_get(text, "nvidia-container-runtime", "mode", mode, sizeof(mode));
        free(text);
        if (found)
            break;
    }
    if (cua_ends(binary, ".cdi"))
        strcpy(mode, "cdi");
    else if (cua_ends(binary, ".legacy"))
        strcpy(mode, "legacy");
    snprintf(way, sizeof(way), "the runtime %.40s, mode %.40s", name, mode);
    ways->reads_specs |= strcmp(mode, "cdi") == 0 || strcmp(mode, "auto") == 0;
    if (strcmp(mode, "cdi") == 0) {
        cua_way_add_cdi(ways, engine, version, way, &ways->specs);
        return;
    }
    snprintf(why, sizeof(why), "%s",
             strcmp(mode, "auto") == 0
                 ? "where containers ask by NVIDIA_VISIBLE_DEVICES it reads no file that could "
                   "contain the hook, only where they name CDI devices"
                 : "in this mode it reads no file that could contain the hook");
    cua_way_add(ways, engine, version, CUA_NOT_REACHED, way, why,
                strcmp(engine, "Docker") == 0 ? ways->docker_command : ways->pods_command);
}

bool cua_way_is_nvidia(const char *binary)
{
    return cua_starts(cua_basename(binary), "nvidia-container-runtime");
}

bool cua_way_names_hook(const char *root, const char *path)
{
    char *text = cua_engine_file(root, path);
    bool names = text && strstr(text, CUA_HOOK_SHELL) && strstr(text, CUA_FILE_COMMAND) &&
                 strstr(text, "timeout -s KILL");

    free(text);
    return names;
}
