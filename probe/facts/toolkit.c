/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA that the program needs: by the runtimes that it maps or is about to map, else by what
 * its image says of itself. Programs are not scanned, and what is merely installed is no evidence.
 */
#include "facts/toolkit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuarbiter/libraries.h"
#include "base/json.h"
#include "base/text.h"
#include "loader/mapped.h"

/* version.json of CUDA 12.4 takes 180 tokens; what it says of CUDA comes first. */
#define TOKENS 1024

/* More than any site-packages has; a damaged file system must not keep the program. */
#define MOST_ENTRIES 8192

#define DIGITS "0123456789"

#define RUNTIME "libcudart"
#define WHEEL   "nvidia_cuda_runtime" /* what the name of its .dist-info begins with */

/* Too large for the stack of a thread of the program. */
struct reading {
    struct cua_facts *facts;
    struct cua_subject subject; /* of what programs map: below no sysroot of an environment */
    char real[PATH_MAX];
};

unsigned cua_toolkit_file(const char *name, bool *exact)
{
    const char *version = strstr(name, ".so.");
    unsigned part[3] = {0}, count = 0;

    if (!cua_starts(name, RUNTIME) || !version)
        return 0;
    for (version += strlen(".so."); count < 3; version++) {
        size_t digits = strspn(version, DIGITS);
        if (digits == 0 || digits > 3)
            return 0;
        part[count++] = (unsigned)atoi(version);
        version += digits;
        if (*version != '.')
            break;
    }
    if (*version || part[0] == 0 || part[1] > 99)
        return 0;
    *exact = count == 3 || (count == 2 && part[0] < 11);
    return part[0] * 1000 + (*exact ? part[1] * 10 : 0);
}

static void say(struct cua_toolkit *toolkit, enum cua_toolkit_kind kind, unsigned cuda,
                const char *source)
{
    toolkit->kind = kind;
    toolkit->cuda = cuda;
    snprintf(toolkit->source, sizeof(toolkit->source), "%.90s", source);
}

static void count(struct cua_toolkit *toolkit, unsigned cuda, bool exact, const char *source)
{
    enum cua_toolkit_kind kind = exact ? CUA_TOOLKIT_EXACT : CUA_TOOLKIT_LEAST;

    if (toolkit->kind == CUA_TOOLKIT_NONE || cuda < toolkit->cuda ||
        (cuda == toolkit->cuda && kind > toolkit->kind))
        say(toolkit, kind, cuda, source);
}

struct wheel {
    unsigned major, cuda, entries;
    bool several;
};

/* nvidia_cuda_runtime_cu12-12.4.127.dist-info, nvidia_cuda_runtime-13.0.48.dist-info. */
static int read_entry(void *data, const char *name, unsigned char type)
{
    struct wheel *wheel = data;
    char version[32];

    (void)type;
    if (++wheel->entries > MOST_ENTRIES)
        return 1;
    if (!cua_starts(name, WHEEL) || !cua_ends(name, ".dist-info"))
        return 0;
    name += strlen(WHEEL);
    if (cua_starts(name, "_cu"))
        name += 3 + strspn(name + 3, DIGITS);
    if (*name++ != '-' ||
        !cua_copy_n(version, sizeof(version), name, strlen(name) - strlen(".dist-info")))
        return 0;
    unsigned cuda = cua_cuda_parse(version);
    if (cuda / 1000 != wheel->major)
        return 0;
    wheel->several |= wheel->cuda && wheel->cuda != cuda;
    wheel->cuda = cuda;
    return 0;
}

/* A wheel's plain file, SITE/nvidia/cuda_runtime/lib/libcudart.so.12, has its number in the name of
 * the .dist-info in SITE. Changes `path`. 0 if there is no number, or two differ. */
static unsigned wheel_cuda(char *path, unsigned cuda)
{
    struct wheel wheel = {.major = cuda / 1000};

    for (int level = 0; level < 3; level++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return 0;
        *slash = '\0';
    }
    char *package = strrchr(path, '/');
    if (!package || strcmp(package, "/nvidia") != 0)
        return 0;
    *package = '\0';
    int error = cua_subject_list(&cua_here, path[0] ? path : "/", read_entry, &wheel);
    return error || wheel.several ? 0 : wheel.cuda;
}

/* By the file that is loaded: libcudart.so.12 may be a link that hides the rest of its version. */
static void read_file(struct reading *reading, const char *path)
{
    const char *name = cua_basename(path);
    bool exact = false;
    char own[64];

    if (!cua_starts(name, RUNTIME))
        return;
    bool found = cua_subject_resolve(&reading->subject, path, reading->real) == 0;
    if (found && cua_toolkit_file(cua_basename(reading->real), &exact))
        name = cua_basename(reading->real);
    unsigned cuda = cua_toolkit_file(name, &exact);
    if (!cuda || !cua_copy(own, sizeof(own), name))
        return;
    if (!exact && found) {
        unsigned number = wheel_cuda(reading->real, cuda);
        exact = number != 0;
        cuda = exact ? number : cuda;
    }
    count(&reading->facts->toolkit, cuda, exact, own);
}

static bool is_bound(const char *base)
{
    const char *tail;
    const struct cua_library *row = cua_library_of(base, &tail);

    return row && row->context == CUA_CONTEXT_SHARED;
}

static void read_own(struct reading *reading)
{
    struct cua_mapped mapped;

    if (cua_mapped_read(&mapped) != 0)
        return;
    for (size_t i = 0; i < mapped.count; i++) {
        read_file(reading, mapped.object[i].name);
        reading->facts->bound |= is_bound(mapped.object[i].base);
    }
    cua_mapped_free(&mapped);
}

static void read_runtimes(struct cua_facts *facts, const struct cua_subject *subject,
                          const char *const *needed)
{
    struct reading *reading = calloc(1, sizeof(*reading));

    if (!reading)
        return;
    reading->facts = facts;
    reading->subject = *subject;
    /* What a process maps lies below its own root, not below what CUARBITER_SYSROOT describes. */
    if (!subject->pid)
        reading->subject.sysroot = "";
    for (char **file = subject->mapped; file && *file; file++)
        read_file(reading, *file);
    if (!subject->pid)
        read_own(reading);
    for (; needed && *needed; needed++)
        read_file(reading, *needed);
    free(reading);
}

/* "12.4.1"; NGC's images have a fourth part: "13.0.1.012". */
static unsigned image_cuda(const char *text)
{
    const char *fourth = text;
    char three[32];

    for (int part = 0; part < 3; part++) {
        fourth = strchr(fourth, '.');
        if (!fourth)
            return cua_cuda_parse(text);
        fourth++;
    }
    if (!*fourth || fourth[strspn(fourth, DIGITS)] ||
        !cua_copy_n(three, sizeof(three), text, (size_t)(fourth - 1 - text)))
        return 0;
    return cua_cuda_parse(three);
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
            cuda = image_cuda(version);
    }
    free(tokens);
    return cuda;
}

static void read_image(struct cua_toolkit *toolkit, const struct cua_subject *subject)
{
    static const char json[] = "/usr/local/cuda/version.json";
    const char *env = cua_subject_env(subject, "CUDA_VERSION");
    unsigned said = env ? image_cuda(env) : 0, cuda = said;
    char *text = said ? NULL : malloc(32768);
    ssize_t n = text ? cua_subject_read(subject, json, text, 32768) : 0;

    if (n > 0)
        cuda = cua_toolkit_json(text, (size_t)n);
    free(text);
    if (cuda)
        say(toolkit, CUA_TOOLKIT_HINT, cuda, said ? "CUDA_VERSION" : json);
}

void cua_toolkit_gather(struct cua_facts *facts, const struct cua_subject *subject,
                        const char *const *needed)
{
    facts->toolkit = (struct cua_toolkit){0};
    facts->bound = false;
    if (!subject->whatif)
        read_runtimes(facts, subject, needed);
    if (facts->toolkit.kind == CUA_TOOLKIT_NONE)
        read_image(&facts->toolkit, subject);
    for (; needed && *needed; needed++)
        facts->bound |= is_bound(cua_basename(*needed));
}
