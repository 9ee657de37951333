/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/node/containerd_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "deploy/node/engines.h"

#define FILE_2             2000 /* containerd 2, the first that reads a file of version 3 */
#define RANCHER(name)      "/var/lib/rancher/" name
#define CONFIG(name, file) RANCHER(name) "/agent/etc/containerd/" file
#define CONFIG_OF(name)    CONFIG(name, "config.toml"), CONFIG(name, "config.toml.tmpl")

/* The node's own comes first. */
static const struct cua_containerd all[] = {
    {"containerd", "/etc/containerd/config.toml", "/etc/containerd/config.toml", "version = 2",
     "containerd", "/etc/containerd/conf.d"},
    {RANCHER("k3s") "/data/current/bin/containerd", CONFIG_OF("k3s"), "{{ template \"base\" . }}",
     "k3s", NULL},
    {RANCHER("rke2") "/bin/containerd", CONFIG_OF("rke2"), "{{ template \"base\" . }}", "rke2",
     NULL},
};

/* Appends the drop-ins to `text`, which it frees. NULL if there is neither. */
static char *with_drop_ins(const char *root, const char *folder, char *text)
{
    char *more = cua_engine_folder(root, folder, ".toml"), *both;
    size_t length = text ? strlen(text) : 0, size = length + (more ? strlen(more) : 0) + 2;

    if (!more)
        return text;
    both = realloc(text, size);
    if (both)
        snprintf(both + length, size - length, "\n%s", more);
    free(more);
    return both ? both : text;
}

/* Returns the configuration of this containerd: on this machine what the program answers, which
 * includes the drop-ins; otherwise its files. */
static char *read_configuration(const struct cua_containerd *containerd, const char *root)
{
    const char *const own[] = {containerd->program, "config", "dump", NULL};
    const char *const other[] = {
        containerd->program, "-c", containerd->file, "config", "dump", NULL};
    char *text = NULL;

    if (containerd != all && !cua_engine_has(root, containerd->file))
        return NULL;
    if (!root[0])
        text = cua_engine_ask(containerd == all ? own : other);
    if (text)
        return text;
    text = cua_engine_file(root, containerd->file);
    return containerd->drop_ins ? with_drop_ins(root, containerd->drop_ins, text) : text;
}

bool cua_containerd_runs_pods(const char *text)
{
    char disabled[512] = "";

    cua_toml_get(text, "", "disabled_plugins", disabled, sizeof(disabled));
    return !strstr(disabled, "cri");
}

char *cua_containerd_find(const char *root, const struct cua_containerd **found)
{
    /* Prints the built-in defaults. Used if `config dump` fails and there is no file. */
    static const char *const ask_default[] = {"containerd", "config", "default", NULL};
    char *own = read_configuration(all, root), *text = NULL;
    bool has_file = cua_engine_has(root, all->file) || cua_engine_has(root, all->drop_ins);

    *found = all;
    if (own && has_file && cua_containerd_runs_pods(own))
        return own;
    for (size_t i = 1; !text && i < sizeof(all) / sizeof(*all); i++)
        if ((text = read_configuration(&all[i], root)))
            *found = &all[i];
    if (!text)
        return own || root[0] ? own : cua_engine_ask(ask_default);
    free(own);
    return text;
}

unsigned cua_containerd_version(const struct cua_containerd *containerd, const char *root,
                                const char *text)
{
    const char *const ask[] = {containerd->program, "--version", NULL};
    char value[16];
    char *said = root[0] ? NULL : cua_engine_ask(ask);
    unsigned version = cua_engine_version(said);

    free(said);
    if (!version && cua_toml_get(text, "", "version", value, sizeof(value)) && atoi(value) >= 3)
        version = FILE_2;
    return version;
}
