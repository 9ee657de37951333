/* SPDX-License-Identifier: Apache-2.0 */
#include "command/cdi/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/whole.h"
#include "command/cdi/spec_json.h"
#include "command/cdi/spec_yaml.h"
#include "command/replace_file.h"
#include "command/verb.h"
#include "cuarbiter/names.h"

#define SPEC_MAX (4 << 20)

/* Written by nvidia-ctk (from 1.18 on below /var/run), by the device plugin of Kubernetes, and by
 * gpu-operator's toolkit for its own containers. */
static const char *const known[] = {
    "/etc/cdi/nvidia.yaml",
    "/var/run/cdi/nvidia.yaml",
    "/var/run/cdi/k8s.device-plugin.nvidia.com-gpu.json",
    "/var/run/cdi/management.nvidia.com-gpu.yaml",
};

static char *read_spec(const char *file, struct stat *st)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    size_t size = 0;

    if (fd < 0)
        return NULL;
    if (cua_fstat(fd, st) != 0 || !S_ISREG(st->st_mode)) {
        close(fd);
        errno = EINVAL;
        return NULL;
    }
    char *text = cua_whole(fd, SPEC_MAX, &size);
    if (!text || strlen(text) == size)
        return text;
    free(text);
    errno = EINVAL;
    return NULL;
}

int cua_cdi_merge(const char *file, const char *hook)
{
    char real[PATH_MAX], *made = NULL;
    const char *trouble = NULL;
    struct stat st;
    int error = 0;
    char *text = realpath(file, real) ? read_spec(real, &st) : NULL;

    if (!text) {
        cua_complain(file, "%s", strerror(errno));
        return CUA_EXIT_USAGE;
    }
    if (text[strspn(text, " \t\r\n")] == '{')
        made = cua_spec_json(text, hook, &trouble);
    else
        made = cua_spec_yaml(text, hook, &trouble);
    bool same = made && strcmp(made, text) == 0;
    if (made && !same)
        error = cua_replace_file(real, made, strlen(made), st.st_mode & 07777, &st, false);
    if (!made || error)
        cua_complain("cdi", "%s: %s", file, made ? strerror(-error) : trouble);
    else
        printf("%s: %s\n", file,
               same   ? "nothing to do"
               : hook ? "every container that asks for one of its devices gets cuarbiter"
                      : "cuarbiter's hook taken out");
    free(text);
    int code = made && !error ? 0 : 1;
    free(made);
    return code;
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
