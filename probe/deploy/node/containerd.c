/* SPDX-License-Identifier: Apache-2.0 */
/* way.h says what a way is, and when cuarbiter's OCI hook reaches it. */
#include "deploy/node/containerd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "deploy/node/containerd_place.h"
#include "deploy/node/engines.h"
#include "deploy/node/way.h"
#include "deploy/nri/nri.h"

#define ENGINE  "containerd"
#define PLUGIN  "/var/run/cdi/k8s.device-plugin.nvidia.com-gpu.json"
#define DRA     "/var/lib/kubelet/plugins/gpu.nvidia.com"
#define RUNTIME ".containerd.runtimes."

/* Versions as major * 1000 + minor. containerd 1.6 silently ignores enable_cdi. CDI and NRI are off
 * by default in containerd 1.7, and on in 2. If containerd's version is not known, a configuration
 * of version 3 shows that it is 2 or later. */
#define CDI_FIRST   1007
#define CDI_DEFAULT 2000
#define NRI_FIRST   1007
#define NRI_DEFAULT 2000

#define NRI_SECTION "io.containerd.nri.v1.nri"

/* The links that switch on cuarbiter's NRI plugin: containerd starts it by PLUGIN_LINK, systemd by
 * PLUGIN_UNIT. */
#define PLUGIN_LINK CUA_NRI_FOLDER "/" CUA_NRI_INDEX "-" CUA_NRI_NAME
#define UNIT        "cuarbiter-nri.service"
#define PLUGIN_UNIT "/etc/systemd/system/multi-user.target.wants/" UNIT

/* Whether containerd reads CDI specifications. Returns 1: yes; 0: no; -1: not known. */
static int reads_cdi(unsigned version, const char *text)
{
    char value[16] = "";
    bool set = cua_toml_get(text, "", "enable_cdi", value, sizeof(value));

    if (!version)
        return set && strcmp(value, "false") == 0 ? 0 : -1;
    if (version < CDI_FIRST)
        return 0;
    return set ? strcmp(value, "true") == 0 : version >= CDI_DEFAULT;
}

/* Copies the name of the runtime that a section of the configuration is about, without ".options"
 * at its end. False if the section is about something else, or the name is too long. */
static bool runtime_of(const char *section, char *name, size_t size)
{
    const char *at = strstr(section, RUNTIME);

    if (!at)
        return false;
    at += strlen(RUNTIME);
    size_t length = strlen(at);
    if (cua_ends(at, ".options"))
        length -= strlen(".options");
    return cua_copy_n(name, size, at, length);
}

/* Whether the runtime `name` has the setting base_runtime_spec, and the file that the setting names
 * contains the hook. From that file containerd makes the OCI configuration of each of the runtime's
 * containers. */
static bool has_base(const char *root, const char *text, const char *name)
{
    char section[128], path[512] = "";

    snprintf(section, sizeof(section), RUNTIME "%.64s", name);
    return cua_toml_get(text, section, "base_runtime_spec", path, sizeof(path)) && path[0] == '/' &&
           cua_way_names_hook(root, path);
}

static void add_runtimes(struct cua_ways *ways, unsigned version, const char *text)
{
    struct cua_toml toml = {.at = text};
    char name[64], way[128];

    while (cua_toml_next(&toml)) {
        if ((strcmp(toml.key, "BinaryName") && strcmp(toml.key, "runtime_path")) ||
            !cua_way_is_nvidia(toml.value) || !runtime_of(toml.section, name, sizeof(name)))
            continue;
        if (has_base(ways->root, text, name)) {
            snprintf(way, sizeof(way), "pods of the runtime %.64s", name);
            cua_way_add(ways, ENGINE, version, CUA_REACHED, way,
                        "its base_runtime_spec contains the hook", NULL);
        } else {
            cua_way_add_runtime(ways, ENGINE, version, name, cua_basename(toml.value));
        }
    }
}

/* Whether NRI is on. containerd has NRI from 1.7 on; it is on by default from 2 on. False if the
 * version is not known. */
static bool has_nri(unsigned version, const char *text)
{
    char off[16] = "";
    bool set = cua_toml_get(text, NRI_SECTION, "disable", off, sizeof(off));

    return version >= NRI_FIRST && (set ? strcmp(off, "false") == 0 : version >= NRI_DEFAULT);
}

/* Whether the configuration `text` has a section for NRI. Frees the text; NULL has none. */
static bool has_section(char *text)
{
    bool has = text && (strstr(text, NRI_SECTION "\"]") || strstr(text, NRI_SECTION "']"));

    free(text);
    return has;
}

/* Returns the file to edit, or the folder of drop-ins, that has a section for NRI; NULL if none
 * has. */
static const char *place_of_nri(const struct cua_containerd *place, const char *root)
{
    if (has_section(cua_engine_file(root, place->edit)))
        return place->edit;
    return place->drop_ins && has_section(cua_engine_folder(root, place->drop_ins, ".toml"))
               ? place->drop_ins
               : NULL;
}

/* Whether the systemd unit of cuarbiter's plugin is installed, by a package or by an
 * administrator. */
static bool has_unit(const char *root)
{
    return cua_engine_has(root, "/usr/lib/systemd/system/" UNIT) ||
           cua_engine_has(root, "/lib/systemd/system/" UNIT) ||
           cua_engine_has(root, "/etc/systemd/system/" UNIT);
}

/* Sets ways->pods_command. If NRI is off, it names the file to edit, and suggests a new section
 * only if none is there: containerd does not start if it finds the section twice. */
static void tell_how(struct cua_ways *ways, const struct cua_containerd *place, unsigned version,
                     bool nri)
{
    const char *there = place_of_nri(place, ways->root);
    char on[320] = "", begin[64] = "";

    if (version < NRI_FIRST) {
        cua_copy(ways->pods_command, sizeof(ways->pods_command), CUA_WAY_BASE);
        return;
    }
    if (!cua_engine_has(ways->root, place->edit))
        snprintf(begin, sizeof(begin), " (a new file begins with %s)", place->begin);
    if (!nri)
        snprintf(on, sizeof(on),
                 "%s disable = false in %s[plugins.\"" NRI_SECTION "\"] of %s%s, restart %s, then ",
                 there ? "set" : "add", there ? "" : "a new section ", there ? there : place->edit,
                 there ? "" : begin, place->service);
    snprintf(ways->pods_command, sizeof(ways->pods_command), "%s%s", on,
             has_unit(ways->root)
                 ? "systemctl enable --now " UNIT " (docs/containerd.md)"
                 : "the DaemonSet starts the plugin; without it, start cuarbiter node nri as a "
                   "service (docs/containerd.md)");
}

/* Adds the way by an NRI plugin that gives the hook to every pod: cuarbiter's plugin or NRI's
 * hook-injector. The hook-injector gives the hook to pods only if hooks.d (way.h) contains the
 * hook. False if neither plugin gives the hook to pods. */
static bool add_by_nri(struct cua_ways *ways, unsigned version)
{
    bool injects = cua_engine_has_in(ways->root, CUA_NRI_FOLDER, "hook-injector") && ways->hooks;

    if (cua_engine_has(ways->root, PLUGIN_LINK) || cua_engine_has(ways->root, PLUGIN_UNIT))
        cua_way_add(ways, ENGINE, version, CUA_REACHED, "pods, by NRI",
                    "cuarbiter's plugin is switched on", NULL);
    else if (!ways->root[0] && cua_nri_runs())
        cua_way_add(ways, ENGINE, version, CUA_REACHED, "pods, by NRI", "cuarbiter's plugin runs",
                    NULL);
    else if (injects)
        cua_way_add(ways, ENGINE, version, CUA_REACHED, "pods, by NRI's hook-injector",
                    "hooks.d contains the hook", NULL);
    else
        return false;
    return true;
}

void cua_ways_containerd(struct cua_ways *ways)
{
    const struct cua_containerd *place;
    char *text = cua_containerd_find(ways->root, &place);
    bool plugin = cua_engine_has(ways->root, PLUGIN);

    if (!text)
        return;
    if (!cua_containerd_runs_pods(text)) {
        free(text);
        return;
    }
    unsigned version = cua_containerd_version(place, ways->root, text);
    int cdi = reads_cdi(version, text);
    ways->engines++;
    ways->reads_specs |= cdi != 0;
    bool nri = has_nri(version, text);
    tell_how(ways, place, version, nri);
    if (nri && add_by_nri(ways, version)) {
        free(text);
        return;
    }
    static const char way[] = "pods by CDI (the device plugin's cdi-cri or cdi-annotations)";
    if (plugin && cdi > 0)
        cua_way_add_cdi(ways, ENGINE, version, way, &ways->plugin);
    else if (plugin && cdi < 0)
        cua_way_add(ways, ENGINE, 0, CUA_REACH_UNKNOWN, way,
                    "its version is not known, and before 1.7 it reads no CDI specification",
                    CUA_WAY_MERGE);
    else if (plugin)
        cua_way_add(ways, ENGINE, version, CUA_NOT_REACHED, way,
                    version < CDI_FIRST ? "before 1.7 it does not support CDI, even with enable_cdi"
                                        : "enable_cdi is not true",
                    version < CDI_FIRST
                        ? CUA_WAY_BASE
                        : "set enable_cdi = true in its configuration, and restart it");
    if (cua_engine_has(ways->root, DRA))
        cua_way_add(ways, ENGINE, version, CUA_NOT_REACHED, "pods by DRA",
                    "the CDI specification of each claim is written just before the pod starts, so "
                    "nobody can add the hook to it",
                    ways->pods_command);
    add_runtimes(ways, version, text);
    free(text);
}
