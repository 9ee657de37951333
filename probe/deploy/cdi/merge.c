/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/cdi/merge.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deploy/cdi/spec.h"
#include "deploy/cdi/swap.h"
#include "cli/replace_file.h"
#include "cli/verb.h"
#include "cuarbiter/names.h"

#define ATTEMPTS 100 /* how often to try again after -EAGAIN; 10 ms apart */

/* Each file with the program that writes it. */
const char *const cua_cdi_known[CUA_CDI_KNOWN + 1] = {
    "/etc/cdi/nvidia.yaml",     /* nvidia-ctk */
    "/var/run/cdi/nvidia.yaml", /* nvidia-ctk since 1.18 */
    /* NVIDIA's device plugin for Kubernetes */
    "/var/run/cdi/k8s.device-plugin.nvidia.com-gpu.json",
    /* the GPU Operator's toolkit, for the Operator's own containers */
    "/var/run/cdi/management.nvidia.com-gpu.yaml",
    NULL,
};

/* Tries once to add the hook or, if `hook` is NULL, to remove it. Returns
 * - 0: done, or with CUA_CDI_DRY, would be done;
 * - 1: there is nothing to do;
 * - -EBADMSG: the file is no specification, or cua_spec failed; `trouble` has the reason;
 * - -EAGAIN: another program has changed the file meanwhile, or has it open for writing;
 * - another -errno: any other failure. */
static int merge_once(const char *path, const char *hook, enum cua_cdi_how how,
                      char trouble[static CUA_SPEC_TROUBLE])
{
    struct stat st;
    char *made, *text = cua_swap_read(path, &st);
    int error = text ? 0 : -errno;

    if (error == -EINVAL) {
        snprintf(trouble, CUA_SPEC_TROUBLE, "not a regular file, or it contains NUL bytes");
        return -EBADMSG;
    }
    if (!text)
        return error;
    made = cua_spec(text, hook, trouble);
    if (!made)
        error = -EBADMSG;
    else if (strcmp(made, text) == 0)
        error = 1;
    else if (how != CUA_CDI_DRY)
        error = cua_swap(path, text, &st, made);
    free(text);
    free(made);
    return error;
}

int cua_cdi_merge(const char *file, const char *hook, enum cua_cdi_how how)
{
    char real[PATH_MAX];
    char trouble[CUA_SPEC_TROUBLE] = "";
    int error;

    if (!realpath(file, real) || access(real, R_OK)) {
        cua_complain(file, "%s", strerror(errno));
        return CUA_EXIT_USAGE;
    }
    if (how != CUA_CDI_DRY)
        cua_fresh_sweep(real);
    for (int i = 0; (error = merge_once(real, hook, how, trouble)) == -EAGAIN && i < ATTEMPTS; i++)
        poll(NULL, 0, 10);
    if (error < 0)
        cua_complain("cdi", "%s: %s", file,
                     error == -EBADMSG  ? trouble
                     : error == -EAGAIN ? "another program has it open for writing, or keeps "
                                          "changing it; try again later"
                                        : strerror(-error));
    else if (!error || how != CUA_CDI_QUIET)
        printf("%s: %s%s\n", file, how == CUA_CDI_DRY && !error ? "dry run: " : "",
               error  ? "nothing to do"
               : hook ? "every container that asks for one of its devices gets cuarbiter"
                      : "cuarbiter's hook taken out");
    return error < 0;
}

int cua_cdi_merge_all(const char *hook, enum cua_cdi_how how)
{
    int code = 0, there = 0;

    for (const char *const *file = cua_cdi_known; *file; file++) {
        if (how != CUA_CDI_DRY)
            cua_fresh_sweep(*file);
        if (access(*file, F_OK) && errno == ENOENT)
            continue;
        there++;
        int one = cua_cdi_merge(*file, hook, how);
        code = one > code ? one : code;
    }
    if (!there)
        printf("there is no CDI specification of NVIDIA's tools: %s\n",
               hook ? "make one (nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml), or name a "
                      "file"
                    : "there was nothing to remove");
    return code;
}
