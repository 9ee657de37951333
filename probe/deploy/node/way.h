/* SPDX-License-Identifier: Apache-2.0 */
/* A way: how containers of a node ask for a GPU, such as by a CDI device or by one of NVIDIA's
 * runtimes. Here are the types for one way and for the list of all. The hook is cuarbiter's OCI
 * hook (deploy/hook), which adds cuarbiter to containers. The hook reaches a way if it runs for the
 * containers that ask for their GPU in this way. hooks.d: the two folders from which podman and
 * CRI-O start hooks for containers. */
#ifndef CUA_NODE_WAY_H
#define CUA_NODE_WAY_H

#include <stdbool.h>
#include <stddef.h>

enum cua_reach { CUA_REACHED, CUA_NOT_REACHED, CUA_REACH_UNKNOWN };

struct cua_way {
    const char *engine;
    char version[16]; /* version of the engine; "": not known */
    char way[128];    /* how containers ask for a GPU, as a text to be shown */
    enum cua_reach reach;
    bool idle; /* its engine does not run; false also if that is not known */
    char why[200];
    /* What the administrator can do so that the hook reaches this way, as a text to be shown: a
     * command or a sentence. NULL: the hook reaches it already, or nothing helps. */
    const char *command;
};

#define CUA_WAYS_MOST 24

/* CDI specifications from NVIDIA's tools: how many there are, and how many contain the hook. */
struct cua_specs {
    unsigned there, merged;
};

struct cua_ways {
    /* "": this machine, whose engines are asked for their configuration. Otherwise the root folder
     * of another node: only configuration files below it are read, and no program is started. */
    const char *root;
    bool hooks; /* the hook is installed in hooks.d */
    bool idle;  /* the engine whose ways are being added is installed, but does not run */
    /* CDI specifications. `specs`: all of them. `named`: those of the devices nvidia.com/gpu=...,
     * which users name. `plugin`: the device plugin's, for pods. */
    struct cua_specs specs, named, plugin;
    unsigned engines; /* number of container engines that were found */
    bool reads_hooks; /* at least one engine reads hooks.d */
    bool reads_specs; /* at least one engine reads CDI specifications, or may do so */
    /* A text for cua_way.command: what makes the hook reach containerd's pods without CDI
     * specifications. */
    char pods_command[512];
    /* A text for cua_way.command: what makes the hook reach Docker's containers that do not ask for
     * a CDI device. */
    char docker_command[400];
    size_t count;
    struct cua_way way[CUA_WAYS_MOST];
};

/* Other texts for cua_way.command. */
#define CUA_WAY_MERGE "cuarbiter cdi --merge"
#define CUA_WAY_GENERATE                                                                           \
    "nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml, then " CUA_WAY_MERGE
#define CUA_WAY_BASE                                                                               \
    "give its runtimes a base_runtime_spec with the hook, made by cuarbiter node print-oci "       \
    "(docs/containerd.md)"

void cua_way_add(struct cua_ways *ways, const char *engine, unsigned version, enum cua_reach reach,
                 const char *way, const char *why, const char *command);

/* Adds a way in which the engine gives containers a GPU by these CDI specifications. The hook
 * reaches it if all of them contain the hook; CUA_REACH_UNKNOWN if there are none. */
void cua_way_add_cdi(struct cua_ways *ways, const char *engine, unsigned version, const char *way,
                     const struct cua_specs *specs);

/* cua_way_add_runtime: adds the way by one of NVIDIA's container runtimes. `name`: what the engine
 * calls the runtime. `binary`: the file name of its program. cua_way_is_nvidia: whether a program,
 * by its file name, is such a runtime. */
void cua_way_add_runtime(struct cua_ways *ways, const char *engine, unsigned version,
                         const char *name, const char *binary);
bool cua_way_is_nvidia(const char *binary);

/* Whether the file at `path` below `root` can be read and contains cuarbiter's hook. */
bool cua_way_names_hook(const char *root, const char *path);

#endif
