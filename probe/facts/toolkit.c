/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the CUDA version that the program needs: that of the runtimes (libcudart) that it has
 * mapped or is about to map. If there are none, it is what the image declares: CUDA_VERSION, or
 * else /usr/local/cuda/version.json. The program's file is not scanned, and no other installed
 * toolkit counts. */
#include "facts/toolkit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuarbiter/libraries.h"
#include "base/json.h"
#include "base/text.h"
#include "loader/mapped.h"

/* Limit for the JSON tokens of a version.json. The file of CUDA 12.4 has 180. */
#define TOKENS 1024

/* Limit for the entries of site-packages, above what any real one has. It keeps a damaged file
 * system from delaying the program for long. */
#define MOST_ENTRIES 8192

#define DIGITS "0123456789"

#define RUNTIME "libcudart"

/* The libraries that show a CUDA version: first the runtime, then the compilers, whose output needs
 * a driver as new as the compiler. `stem`: how the file's name begins. `wheel`: how the name of the
 * .dist-info of its Python wheel begins. `levels`: how many folders lie between site-packages and
 * the file. */
static const struct kind {
    const char *stem, *wheel;
    int levels;
} kinds[] = {
    {RUNTIME, "nvidia_cuda_runtime", 3},
    {"libnvrtc.so", "nvidia_cuda_nvrtc", 3},
    {"libnvJitLink.so", "nvidia_nvjitlink", 3},
    {"libnvvm.so", "nvidia_cuda_nvcc", 4},
};

/* Too large for a thread's stack, so it is allocated. */
struct gathering {
    struct cua_facts *facts;
    /* A copy of the subject (the process that is examined). If that is this process, the copy has
     * no sysroot (read_runtimes). */
    struct cua_subject subject;
    char real[PATH_MAX];
};

/* Returns the CUDA version in the file name of a runtime or compiler, which all have the same form;
 * 0: there is none. `exact` receives whether the name shows the whole version. */
static unsigned file_cuda(const char *name, bool *exact)
{
    const char *version = strstr(name, ".so.");
    unsigned part[3] = {0}, count = 0;

    if (!version)
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

unsigned cua_toolkit_file(const char *name, bool *exact)
{
    return cua_starts(name, RUNTIME) ? file_cuda(name, exact) : 0;
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
    const char *name;
    /* `major`: the major of the versions that count; 0: all count. `cuda`: the version that was
     * found; 0: none. `entries`: how many names of site-packages were read. */
    unsigned major, cuda, entries;
    bool several;
};

/* Called for each name in site-packages. Reads the version from a name such as
 * nvidia_cuda_runtime_cu12-12.4.127.dist-info or nvidia_cuda_runtime-13.0.48.dist-info. */
static int read_entry(void *data, const char *name, unsigned char type)
{
    struct wheel *wheel = data;
    char version[32];

    (void)type;
    if (++wheel->entries > MOST_ENTRIES)
        return 1;
    if (!cua_starts(name, wheel->name) || !cua_ends(name, ".dist-info"))
        return 0;
    name += strlen(wheel->name);
    if (cua_starts(name, "_cu"))
        name += 3 + strspn(name + 3, DIGITS);
    if (*name++ != '-' ||
        !cua_copy_n(version, sizeof(version), name, strlen(name) - strlen(".dist-info")))
        return 0;
    unsigned cuda = cua_cuda_parse(version);
    if (wheel->major && cuda / 1000 != wheel->major)
        return 0;
    wheel->several |= wheel->cuda && wheel->cuda != cuda;
    wheel->cuda = cuda;
    return 0;
}

/* Returns the CUDA version of a file from a Python wheel; 0 if none is found, or several that
 * differ. SITE/nvidia/cuda_runtime/lib/libcudart.so.12 shows only the major. The whole version is
 * in the name of the .dist-info in SITE. Only versions of the major of `cuda` count; if `cuda` is
 * 0, all. Changes `path`. */
static unsigned wheel_cuda(char *path, const struct kind *kind, unsigned cuda)
{
    struct wheel wheel = {.name = kind->wheel, .major = cuda / 1000};

    for (int level = 0; level < kind->levels; level++) {
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

static const struct kind *kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (cua_starts(name, kinds[i].stem))
            return &kinds[i];
    return NULL;
}

/* Returns the CUDA version of a file such as libnvvm.so.4, whose number is not a CUDA version. The
 * name of the toolkit's folder (cuda-12.8/nvvm/lib64) or of the wheel's .dist-info shows it. 0:
 * neither does. Changes `path`. */
static unsigned nvvm_cuda(char *path, const struct kind *kind)
{
    static const char toolkit[] = "/cuda-";
    const char *folder = strstr(path, toolkit);
    char number[8];

    if (!folder)
        return wheel_cuda(path, kind, 0);
    folder += strlen(toolkit);
    return cua_copy_n(number, sizeof(number), folder, strcspn(folder, "/")) ? cua_cuda_parse(number)
                                                                            : 0;
}

/* Records the CUDA version of a compiler, if the whole version is known and it is the lowest so
 * far. */
static void read_compiler(struct gathering *gathering, const char *path, const struct kind *kind)
{
    unsigned *lowest = &gathering->facts->toolkit.compiler, cuda;
    bool exact = false;

    if (cua_subject_resolve(&gathering->subject, path, gathering->real) != 0)
        return;
    if (cua_starts(kind->stem, "libnvvm")) {
        cuda = nvvm_cuda(gathering->real, kind);
    } else {
        cuda = file_cuda(cua_basename(gathering->real), &exact);
        if (cuda && !exact)
            cuda = wheel_cuda(gathering->real, kind, cuda);
    }
    if (cuda && (!*lowest || cuda < *lowest))
        *lowest = cuda;
}

/* Records the CUDA of the file `path` if it is a runtime or a compiler. libcudart.so.12 may be a
 * link to a file whose name has the whole version. If that name too has only the major, the Python
 * wheel may show the whole version. */
static void read_file(struct gathering *gathering, const char *path)
{
    const char *name = cua_basename(path);
    const struct kind *kind = kind_of(name);
    bool exact = false;
    char own[64];

    if (!kind)
        return;
    if (kind != kinds) {
        read_compiler(gathering, path, kind);
        return;
    }
    bool found = cua_subject_resolve(&gathering->subject, path, gathering->real) == 0;
    if (found && cua_toolkit_file(cua_basename(gathering->real), &exact))
        name = cua_basename(gathering->real);
    unsigned cuda = cua_toolkit_file(name, &exact);
    if (!cuda || !cua_copy(own, sizeof(own), name))
        return;
    if (!exact && found) {
        unsigned number = wheel_cuda(gathering->real, kind, cuda);
        exact = number != 0;
        cuda = exact ? number : cuda;
    }
    count(&gathering->facts->toolkit, cuda, exact, own);
}

static bool is_bound(const char *base)
{
    const char *tail;
    const struct cua_library *row = cua_library_of(base, &tail);

    return row && row->context == CUA_CONTEXT_SHARED;
}

/* Whether a library is one that opens libnvcuvid to decode video: FFmpeg's libavcodec, NVIDIA's
 * DALI or GStreamer's nvcodec (FFmpeg/nv-codec-headers, include/ffnvcodec/dynlink_loader.h). */
static bool is_decoder(const char *base)
{
    return cua_starts(base, "libavcodec") || cua_starts(base, "libdali.so") ||
           cua_starts(base, "libgstnvcodec");
}

bool cua_toolkit_counts(const char *base)
{
    return kind_of(base) || is_bound(base) || is_decoder(base);
}

static void read_own(struct gathering *gathering)
{
    const struct cua_mapped *mapped = cua_mapped();

    for (size_t i = 0; i < mapped->count; i++) {
        read_file(gathering, mapped->object[i].name);
        gathering->facts->bound |= is_bound(mapped->object[i].base);
        gathering->facts->decoder |= is_decoder(mapped->object[i].base);
    }
}

static void read_runtimes(struct cua_facts *facts, const struct cua_subject *subject,
                          const char *const *needed)
{
    struct gathering *gathering = calloc(1, sizeof(*gathering));

    if (!gathering)
        return;
    gathering->facts = facts;
    gathering->subject = *subject;
    /* Another process has its own root as sysroot, and maps files below that. For this process the
     * sysroot is CUARBITER_SYSROOT, and the files that it maps lie outside. */
    if (!subject->pid)
        gathering->subject.sysroot = "";
    for (char **file = subject->mapped; file && *file; file++) {
        read_file(gathering, *file);
        facts->bound |= is_bound(cua_basename(*file));
        facts->decoder |= is_decoder(cua_basename(*file));
    }
    if (!subject->pid)
        read_own(gathering);
    for (; needed && *needed; needed++)
        read_file(gathering, *needed);
    free(gathering);
}

/* Reads a version such as "12.4.1"; 0: the text is no version. Ignores the fourth part of a version
 * of NGC's images ("13.0.1.012"). */
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

static const char json[] = "/usr/local/cuda/version.json";

/* Whether the image has a version.json. A file on another mount than the root's is not the
 * image's. */
bool cua_toolkit_has_image(const struct cua_subject *subject)
{
    return cua_subject_is_near(subject, json);
}

void cua_toolkit_image(struct cua_toolkit *toolkit, const struct cua_subject *subject)
{
    char *text = malloc(32768);
    ssize_t n = text ? cua_subject_read(subject, json, text, 32768) : 0;
    unsigned cuda = n > 0 ? cua_toolkit_json(text, (size_t)n) : 0;

    free(text);
    toolkit->image = cuda;
    if (cuda)
        say(toolkit, CUA_TOOLKIT_HINT, cuda, json);
}

void cua_toolkit_gather(struct cua_facts *facts, const struct cua_subject *subject,
                        const char *const *needed)
{
    facts->toolkit = (struct cua_toolkit){0};
    facts->bound = facts->decoder = false;
    if (!subject->whatif)
        read_runtimes(facts, subject, needed);
    const char *said = cua_subject_env(subject, "CUDA_VERSION");
    facts->toolkit.image = said ? image_cuda(said) : 0;
    if (facts->toolkit.kind == CUA_TOOLKIT_NONE && facts->toolkit.image)
        say(&facts->toolkit, CUA_TOOLKIT_HINT, facts->toolkit.image, "CUDA_VERSION");
    for (; needed && *needed; needed++) {
        facts->bound |= is_bound(cua_basename(*needed));
        facts->decoder |= is_decoder(cua_basename(*needed));
    }
}
