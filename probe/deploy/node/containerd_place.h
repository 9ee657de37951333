/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the containerd that runs a node's pods: the node's own, or that of k3s or rke2, which is
 * not in PATH. k3s and rke2 write its configuration at each start from a template. Source of the
 * paths: k3s-io/k3s pkg/agent/templates, docs.k3s.io/advanced; docs.rke2.io/advanced. */
#ifndef CUA_NODE_CONTAINERD_PLACE_H
#define CUA_NODE_CONTAINERD_PLACE_H

#include <stdbool.h>

struct cua_containerd {
    const char *program; /* a path, or a name for PATH */
    const char *file;    /* its configuration */
    const char *edit;    /* the file that an administrator edits: `file`, or the template of it */
    const char *begin;   /* the first line that a new `edit` needs */
    const char *service;
    const char *drop_ins; /* a folder of more configuration files; NULL: none */
};

/* Returns the configuration, which the caller frees; NULL if the node has no containerd. Sets
 * `found` to the first of these:
 * - the node's own, if it has a configuration file and runs pods;
 * - that of k3s or rke2, if it has a configuration file;
 * - the node's own.
 * `root`: "" for this machine, on which the programs are asked (for their built-in defaults if
 * there is no file); otherwise the root folder of another node, of which only files are read. */
char *cua_containerd_find(const char *root, const struct cua_containerd **found);

/* Whether a containerd with this configuration runs pods. Docker's packages switch that off. */
bool cua_containerd_runs_pods(const char *text);

/* Version as major * 1000 + minor; 0: not known. Only this machine's programs are asked; a
 * configuration of version 3 shows that it is 2.0 or later. */
unsigned cua_containerd_version(const struct cua_containerd *containerd, const char *root,
                                const char *text);

#endif
