/* SPDX-License-Identifier: Apache-2.0 */
/* One way in which containers of a node ask for a GPU, and the list of all ways. */
#ifndef CUA_NODE_WAY_H
#define CUA_NODE_WAY_H

#include <stdbool.h>
#include <stddef.h>

enum cua_reach { CUA_REACHED, CUA_NOT_REACHED, CUA_REACH_UNKNOWN };

struct cua_way {
    const char *engine;
    char version[16]; /* version of the engine; "": not known */
    char way[128];    /* how containers ask */
    enum cua_reach reach;
    char why[200];
    /* The command that makes the hook reach it; NULL: it is reached already, or nothing can do
     * that. */
    const char *command;
};

#define CUA_WAYS_MOST 24

struct cua_ways {
    /* "": this machine, whose engines are asked; for another root nothing is started. */
    const char *root;
    bool hooks;       /* the hook is installed in hooks.d */
    unsigned specs;   /* number of CDI specifications from NVIDIA's tools */
    unsigned merged;  /* how many of these specifications name the hook */
    unsigned engines; /* number of engines that were found */
    bool reads_specs; /* some engine reads CDI specifications, or may read them */
    /* What makes the hook reach containerd's pods that read no CDI specification. */
    const char *pods_command;
    size_t count;
    struct cua_way way[CUA_WAYS_MOST];
};

/* The commands that make the hook reach a way which it does not reach yet. */
#define CUA_WAY_MERGE "cuarbiter cdi --merge"
#define CUA_WAY_BASE                                                                               \
    "ctr oci spec >spec.json; cuarbiter node print-oci spec.json, as base_runtime_spec "           \
    "(docs/containerd.md)"
#define CUA_WAY_NRI "systemctl enable --now cuarbiter-nri.service (docs/containerd.md)"
#define CUA_WAY_NRI_OFF                                                                            \
    "set disable = false in [plugins.\"io.containerd.nri.v1.nri\"], restart containerd, then "     \
    "systemctl enable --now cuarbiter-nri.service (docs/containerd.md)"
#define CUA_WAY_DOCKER                                                                             \
    "run cuarbiter cdi --merge, then start containers with --device nvidia.com/gpu=all"

void cua_way_add(struct cua_ways *ways, const char *engine, unsigned version, enum cua_reach reach,
                 const char *way, const char *why, const char *command);

/* Adds a way by CDI specifications, which the engine reads. */
void cua_way_add_cdi(struct cua_ways *ways, const char *engine, unsigned version, const char *way);

/* Adds a way by NVIDIA's runtime; `name` is its name in the engine. */
void cua_way_add_runtime(struct cua_ways *ways, const char *engine, unsigned version,
                         const char *name, const char *binary);
bool cua_way_is_nvidia(const char *binary);

/* Whether a file of the node contains the name of our hook. */
bool cua_way_names_hook(const char *root, const char *path);

#endif
