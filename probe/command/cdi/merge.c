/* SPDX-License-Identifier: Apache-2.0 */
#include "command/cdi/merge.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/cdi/spec_json.h"
#include "command/cdi/spec_yaml.h"
#include "command/cdi/swap.h"
#include "command/verb.h"
#include "cuarbiter/names.h"

#define ATTEMPTS 100 /* of a hundredth of a second */

/* Written by nvidia-ctk (from 1.18 on below /var/run), by the device plugin of Kubernetes, and by
 * gpu-operator's toolkit for its own containers. */
static const char *const known[] = {
    "/etc/cdi/nvidia.yaml",
    "/var/run/cdi/nvidia.yaml",
    "/var/run/cdi/k8s.device-plugin.nvidia.com-gpu.json",
    "/var/run/cdi/management.nvidia.com-gpu.yaml",
};

/* 1: there is nothing to do. -EAGAIN: others have changed it meanwhile. */
static int merge_once(const char *path, const char *hook, const char **trouble)
{
    struct stat st;
    char *made, *text = cua_swap_read(path, &st);
    int error = text ? 0 : -errno;

    if (!text)
        return error;
    if (text[strspn(text, " \t\r\n")] == '{')
        made = cua_spec_json(text, hook, trouble);
    else
        made = cua_spec_yaml(text, hook, trouble);
    if (!made)
        error = -EBADMSG;
    else if (strcmp(made, text) == 0)
        error = 1;
    else
        error = cua_swap(path, text, &st, made);
    free(text);
    free(made);
    return error;
}

int cua_cdi_merge(const char *file, const char *hook)
{
    char real[PATH_MAX];
    const char *trouble = NULL;
    int error;

    if (!realpath(file, real) || access(real, R_OK)) {
        cua_complain(file, "%s", strerror(errno));
        return CUA_EXIT_USAGE;
    }
    for (int i = 0; (error = merge_once(real, hook, &trouble)) == -EAGAIN && i < ATTEMPTS; i++)
        poll(NULL, 0, 10);
    if (error < 0)
        cua_complain("cdi", "%s: %s", file,
                     error == -EBADMSG  ? trouble
                     : error == -EAGAIN ? "others write it all the time"
                                        : strerror(-error));
    else
        printf("%s: %s\n", file,
               error  ? "nothing to do"
               : hook ? "every container that asks for one of its devices gets cuarbiter"
                      : "cuarbiter's hook taken out");
    return error < 0;
}

int cua_cdi_merge_all(const char *hook)
{
    int code = 0, there = 0;

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        if (access(known[i], F_OK) && errno == ENOENT)
            continue;
        there++;
        code |= cua_cdi_merge(known[i], hook);
    }
    if (!there)
        puts("no specification of NVIDIA's tools is there");
    return code;
}
