/* SPDX-License-Identifier: Apache-2.0 */
/* Where a libcuda may lie, in the order in which status shows it. */
#include "drivers/folders.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "loader/ldcache.h"
#include "facts/facts.h"
#include "loader/ldso.h"
#include "machine/mounts.h"
#include "base/text.h"
#include "loader/mapped.h"

/* Behind those of ld.so. */
static const struct {
    const char *folder;
    unsigned found;
} folders[] = {
    /* of other distributions, where images keep drivers all the same */
    {"/lib/x86_64-linux-gnu", CUA_FOUND_DEFAULT},
    {"/usr/lib/x86_64-linux-gnu", CUA_FOUND_DEFAULT},
    {"/lib/aarch64-linux-gnu", CUA_FOUND_DEFAULT},
    {"/usr/lib/aarch64-linux-gnu", CUA_FOUND_DEFAULT},
    {"/lib64", CUA_FOUND_DEFAULT},
    {"/usr/lib64", CUA_FOUND_DEFAULT},
    {"/lib", CUA_FOUND_DEFAULT},
    {"/usr/lib", CUA_FOUND_DEFAULT},
    /* GKE's device plugin and nvidia-docker 1: compute-gpu-installation#46 */
    {"/usr/local/nvidia/lib64", CUA_FOUND_WELL_KNOWN},
    {"/usr/local/nvidia/lib", CUA_FOUND_WELL_KNOWN},
    {"/home/kubernetes/bin/nvidia/lib64", CUA_FOUND_WELL_KNOWN},
    /* Colab: googlecolab/colabtools */
    {"/usr/lib64-nvidia", CUA_FOUND_WELL_KNOWN},
    /* NixOS */
    {"/run/opengl-driver/lib", CUA_FOUND_WELL_KNOWN},
    /* Debian's alternatives */
    {"/usr/lib/x86_64-linux-gnu/nvidia/current", CUA_FOUND_WELL_KNOWN},
    {"/usr/lib/aarch64-linux-gnu/nvidia/current", CUA_FOUND_WELL_KNOWN},
    /* Apptainer --nv: nvliblist.conf */
    {"/.singularity.d/libs", CUA_FOUND_WELL_KNOWN},
    /* WSL 2: nvidia-container-toolkit pkg/nvcdi/driver-wsl.go */
    {"/usr/lib/wsl/lib", CUA_FOUND_WELL_KNOWN},
    /* L4T, newer and older: nvidia-container-toolkit#1679 */
    {"/usr/lib/aarch64-linux-gnu/nvidia", CUA_FOUND_WELL_KNOWN},
    {"/usr/lib/aarch64-linux-gnu/tegra", CUA_FOUND_WELL_KNOWN},
};

/* Below each /usr/local/cuda*: toolkit packages, NGC images (lib is a link to lib.real, or not
 * there where their entry point found it unusable), Jetson images. */
static const char *const compat[] = {"compat", "compat/lib", "compat/lib.real", "compat_orin"};

#define MAX_TOOLKITS 128
#define MAX_CACHED   64 /* entries for libcuda; ldconfig writes one or two */

struct walk {
    const struct cua_subject *subject;
    int (*fn)(void *data, const char *folder, unsigned found);
    void *data;
    struct cua_ldso ldso;
    /* Too large for the stack of somebody's thread. */
    char folder[PATH_MAX], real[PATH_MAX];
    char toolkit[MAX_TOOLKITS][64]; /* below /usr/local */
    size_t toolkits, cached;
};

bool cua_folder_is_compat(const char *folder, size_t length)
{
    static const char *const names[] = {"/compat", "/compat/lib", "/compat/lib.real",
                                        "/compat_orin", "/cuda-compat"};

    while (length > 1 && folder[length - 1] == '/')
        length--;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t tail = strlen(names[i]);
        if (length >= tail && memcmp(folder + length - tail, names[i], tail) == 0)
            return true;
    }
    return false;
}

static int report(const struct walk *walk, const char *folder, unsigned found)
{
    if (found & (CUA_FOUND_LIBRARY_PATH | CUA_FOUND_CACHE) &&
        cua_folder_is_compat(folder, strlen(folder)))
        found |= CUA_FOUND_COMPAT;
    return walk->fn(walk->data, folder, found);
}

/* ld.so splits it at colons and semicolons; an empty entry is the working directory. */
static int library_path(struct walk *walk)
{
    const char *at = walk->subject->library_path;
    int ended = 0;

    if (!at || !*at)
        return 0;
    for (; !ended; at++) {
        size_t length = strcspn(at, ":;");
        if (cua_copy_n(walk->folder, sizeof walk->folder, at, length))
            ended = report(walk, length ? walk->folder : ".", CUA_FOUND_LIBRARY_PATH);
        at += length;
        if (!*at)
            break;
    }
    return ended;
}

static int cached(void *data, const char *file)
{
    const char *slash = strrchr(file, '/');
    struct walk *walk = data;

    if (file[0] != '/' || walk->cached++ >= MAX_CACHED ||
        !cua_copy_n(walk->folder, sizeof walk->folder, file, (size_t)(slash - file)))
        return 0;
    return report(walk, walk->folder[0] ? walk->folder : "/", CUA_FOUND_CACHE);
}

static int cache_folders(struct walk *walk)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", "libcuda.so.1.1"};
    struct cua_cache *cache = cua_cache_take(walk->subject);
    int ended = 0;

    for (size_t i = 0; cache && i < sizeof names / sizeof *names && !ended; i++)
        ended = cua_cache_each(cache, &walk->ldso, names[i], cached, walk);
    cua_cache_give(cache);
    return ended;
}

/* What lies there no process of this machine can load; an image that is looked at is told all. */
static bool is_foreign(const struct walk *walk, const char *folder)
{
    const char *other =
        walk->ldso.machine == EM_X86_64 ? "/aarch64-linux-gnu" : "/x86_64-linux-gnu";

    return !walk->subject->whatif && strstr(folder, other);
}

static int default_folders(struct walk *walk)
{
    const char *const *own = walk->ldso.folders;
    int ended = 0;

    for (; *own && !ended; own++)
        ended = report(walk, *own, CUA_FOUND_DEFAULT);
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !ended; i++) {
        for (own = walk->ldso.folders; *own && strcmp(*own, folders[i].folder) != 0;)
            own++;
        if (!*own && !is_foreign(walk, folders[i].folder))
            ended = report(walk, folders[i].folder, folders[i].found);
    }
    return ended;
}

/* Looked for below the toolkit's own folder first: most of them are not there. */
static int compat_below(struct walk *walk, const char *toolkit)
{
    const size_t size = sizeof walk->folder;
    struct stat st;
    int ended = 0;

    if (cua_subject_resolve(walk->subject, toolkit, walk->real) != 0)
        return 0;
    for (size_t i = 0; i < sizeof compat / sizeof *compat && !ended; i++) {
        if (cua_join(walk->folder, size, walk->real, compat[i]) &&
            cua_real_lstat(walk->subject, walk->folder, &st) == 0 &&
            cua_join(walk->folder, size, toolkit, compat[i]))
            ended = report(walk, walk->folder, CUA_FOUND_COMPAT);
    }
    return ended;
}

static int keep_toolkit(void *data, const char *name, unsigned char type)
{
    struct walk *walk = data;

    (void)type;
    walk->toolkits += cua_starts(name, "cuda") &&
                      cua_copy(walk->toolkit[walk->toolkits], sizeof *walk->toolkit, name);
    return walk->toolkits == MAX_TOOLKITS;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Sorted: in what order a folder is read differs from file system to file system. */
static int compat_folders(struct walk *walk)
{
    char toolkit[sizeof *walk->toolkit + 16];
    int ended = 0;

    walk->toolkits = 0;
    cua_subject_list(walk->subject, "/usr/local", keep_toolkit, walk);
    qsort(walk->toolkit, walk->toolkits, sizeof *walk->toolkit, by_name);
    for (size_t i = 0; i < walk->toolkits && !ended; i++) {
        cua_join(toolkit, sizeof toolkit, "/usr/local", walk->toolkit[i]);
        ended = compat_below(walk, toolkit);
    }
    return ended;
}

static int environment_folders(struct walk *walk)
{
    const char *cuda = cua_subject_env(walk->subject, "CUDA_HOME");
    const char *conda = cua_subject_env(walk->subject, "CONDA_PREFIX");
    int ended = 0;

    if (cuda && cuda[0] == '/')
        ended = compat_below(walk, cuda);
    if (!ended && conda && conda[0] == '/' &&
        cua_join(walk->folder, sizeof walk->folder, conda, "cuda-compat"))
        ended = report(walk, walk->folder, CUA_FOUND_COMPAT);
    return ended;
}

static int mapped(void *data, const char *file)
{
    return cua_starts(cua_basename(file), "libcuda.so") ? report(data, file, CUA_FOUND_MAPPED) : 0;
}

static int mapped_files(struct walk *walk)
{
    if (walk->subject->whatif)
        return 0;
    if (walk->subject->pid)
        return cua_maps_each(walk->subject->pid, mapped, walk);
    return cua_mapped_libcuda(walk->folder) ? report(walk, walk->folder, CUA_FOUND_MAPPED) : 0;
}

int cua_folders_each(const struct cua_subject *subject,
                     int (*fn)(void *data, const char *folder, unsigned found), void *data)
{
    static int (*const kinds[])(struct walk *) = {mapped_files,   library_path,
                                                  cache_folders,  default_folders,
                                                  compat_folders, environment_folders};
    struct walk *walk = malloc(sizeof *walk);
    int ended = 0;

    if (!walk)
        return -ENOMEM;
    walk->subject = subject;
    walk->fn = fn;
    walk->data = data;
    walk->cached = 0;
    cua_ldso_of(&walk->ldso, subject);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !ended; i++)
        ended = kinds[i](walk);
    free(walk);
    return ended;
}
