/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA version that the program needs. */
#include "facts/toolkit.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "loader/mapped.h"

/* version.json of CUDA 12.4 takes 180 tokens; what it says of CUDA stands first. */
#define TOKENS 1024

#define RUNTIME "libcudart"

static void found(struct cua_toolkit *toolkit, unsigned cuda, const char *source, size_t length)
{
    if (!cuda)
        return;
    toolkit->cuda = cuda;
    snprintf(toolkit->source, sizeof(toolkit->source), "%.*s", (int)(length < 90 ? length : 90),
             source);
}

unsigned cua_toolkit_runtime(const char *name, bool *exact)
{
    const char *version = strstr(name, ".so.");
    unsigned part[3] = {0}, parts = 0;

    if (strncmp(name, RUNTIME, strlen(RUNTIME)) != 0 || !version)
        return 0;
    for (version += strlen(".so."); parts < 3; version++) {
        size_t digits = strspn(version, "0123456789");
        if (digits == 0 || digits > 3)
            return 0;
        part[parts++] = (unsigned)atoi(version);
        version += digits;
        if (*version != '.')
            break;
    }
    if (*version || part[0] == 0)
        return 0;
    *exact = parts == 3 || (parts == 2 && part[0] < 11);
    return part[0] * 1000 + (*exact ? part[1] * 10 : 0);
}

/* What is mapped of the runtime; of several the newest. */
struct runtime {
    unsigned cuda;
    bool exact;
    char name[64];
};

static void read_mapping(struct runtime *runtime, const char *line)
{
    const char *name = strrchr(line, '/');
    bool exact;
    unsigned cuda = name ? cua_toolkit_runtime(name + 1, &exact) : 0;

    if (cuda <= runtime->cuda)
        return;
    runtime->cuda = cuda;
    runtime->exact = exact;
    snprintf(runtime->name, sizeof(runtime->name), "%.60s", name + 1);
}

/* By the file that is loaded: libcudart.so.12 is a link that hides the rest of its version. */
static void read_own(struct runtime *runtime)
{
    struct cua_mapped mapped;
    char real[PATH_MAX];

    if (cua_mapped_read(&mapped) != 0)
        return;
    for (size_t i = 0; i < mapped.count; i++)
        if (strncmp(mapped.object[i].base, RUNTIME, strlen(RUNTIME)) == 0 &&
            realpath(mapped.object[i].name, real))
            read_mapping(runtime, real);
    cua_mapped_free(&mapped);
}

static void read_mapped(struct runtime *runtime, const struct cua_view *view)
{
    char path[32], buffer[8192];
    size_t used = 0;
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/%d/maps", (int)view->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    while ((n = read(fd, buffer + used, sizeof(buffer) - 1 - used)) > 0) {
        used += (size_t)n;
        buffer[used] = '\0';
        char *line = buffer, *end;
        for (; (end = strchr(line, '\n')); line = end + 1) {
            *end = '\0';
            read_mapping(runtime, line);
        }
        used -= (size_t)(line - buffer);
        memmove(buffer, line, used);
        if (used == sizeof(buffer) - 1) /* no path is that long */
            break;
    }
    close(fd);
}

unsigned cua_toolkit_json(const char *text, size_t size)
{
    struct cua_json json;
    char version[32];
    unsigned cuda = 0;
    jsmntok_t *tokens = malloc(TOKENS * sizeof(*tokens));

    if (tokens && cua_json_object(&json, text, size, tokens, TOKENS)) {
        int at = cua_json_get(&json, 0, "cuda");
        at = at > 0 ? cua_json_get(&json, at, "version") : -1;
        if (at > 0 && cua_json_string(&json, at, version, sizeof(version)))
            cuda = cua_cuda_parse(version);
    }
    free(tokens);
    return cuda;
}

static void read_installed(struct cua_toolkit *toolkit, const struct cua_view *view)
{
    static const char file[] = "/usr/local/cuda/version.json";
    static const char old[] = "/usr/local/cuda/version.txt"; /* "CUDA Version 10.2.89" */
    static const char stem[] = "CUDA Version ";
    char *text = malloc(32768);

    if (!text)
        return;
    ssize_t n = cua_view_read(view, file, text, 32768);
    if (n > 0)
        found(toolkit, cua_toolkit_json(text, (size_t)n), file, strlen(file));
    if (!toolkit->cuda && cua_view_read(view, old, text, 64) > 0 &&
        strncmp(text, stem, strlen(stem)) == 0) {
        text[strcspn(text, "\n")] = '\0';
        found(toolkit, cua_cuda_parse(text + strlen(stem)), old, strlen(old));
    }
    free(text);
}

void cua_toolkit_gather(struct cua_toolkit *toolkit, const struct cua_view *view)
{
    struct runtime runtime = {0};
    const char *env = cua_view_env(view, "CUDA_VERSION");

    *toolkit = (struct cua_toolkit){0};
    if (view->pid)
        read_mapped(&runtime, view);
    else if (!view->whatif)
        read_own(&runtime);
    if (!runtime.exact) {
        if (env)
            found(toolkit, cua_cuda_parse(env), "CUDA_VERSION", 12);
        if (!toolkit->cuda)
            read_installed(toolkit, view);
    }
    /* The program's own runtime counts where the image has another. */
    toolkit->kind = toolkit->cuda ? CUA_TOOLKIT_HINT : CUA_TOOLKIT_NONE;
    if (runtime.cuda) {
        found(toolkit, runtime.cuda, runtime.name, strlen(runtime.name));
        toolkit->kind = runtime.exact ? CUA_TOOLKIT_EXACT : CUA_TOOLKIT_LEAST;
    }
    toolkit->highest = toolkit->cuda;
}
