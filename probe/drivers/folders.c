/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the folders where a libcuda may lie; folders.h explains the order and the terms. */
#include "drivers/folders.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "loader/ldcache.h"
#include "facts/facts.h"
#include "loader/ldso.h"
#include "base/text.h"
#include "loader/mapped.h"

/* Folders that are searched after LD_LIBRARY_PATH, ld.so's cache and the default folders of the
 * subject's ld.so. */
static const struct {
    const char *folder;
    unsigned found;
} folders[] = {
    /* Default folders of ld.so in other distributions; some images use them too. */
    {"/lib/x86_64-linux-gnu", CUA_FOUND_DEFAULT},
    {"/usr/lib/x86_64-linux-gnu", CUA_FOUND_DEFAULT},
    {"/lib/aarch64-linux-gnu", CUA_FOUND_DEFAULT},
    {"/usr/lib/aarch64-linux-gnu", CUA_FOUND_DEFAULT},
    {"/lib64", CUA_FOUND_DEFAULT},
    {"/usr/lib64", CUA_FOUND_DEFAULT},
    {"/lib", CUA_FOUND_DEFAULT},
    {"/usr/lib", CUA_FOUND_DEFAULT},
    /* Used by GKE's device plugin and nvidia-docker 1: compute-gpu-installation#46. */
    {"/usr/local/nvidia/lib64", CUA_FOUND_WELL_KNOWN},
    {"/usr/local/nvidia/lib", CUA_FOUND_WELL_KNOWN},
    {"/home/kubernetes/bin/nvidia/lib64", CUA_FOUND_WELL_KNOWN},
    /* Used by Colab: googlecolab/colabtools. */
    {"/usr/lib64-nvidia", CUA_FOUND_WELL_KNOWN},
    /* Used by NixOS. */
    {"/run/opengl-driver/lib", CUA_FOUND_WELL_KNOWN},
    /* Used by Debian's alternatives. */
    {"/usr/lib/x86_64-linux-gnu/nvidia/current", CUA_FOUND_WELL_KNOWN},
    {"/usr/lib/aarch64-linux-gnu/nvidia/current", CUA_FOUND_WELL_KNOWN},
    /* Used by Apptainer --nv: nvliblist.conf. */
    {"/.singularity.d/libs", CUA_FOUND_WELL_KNOWN},
    /* Used by WSL 2: nvidia-container-toolkit pkg/nvcdi/driver-wsl.go. */
    {"/usr/lib/wsl/lib", CUA_FOUND_WELL_KNOWN},
    /* Used by L4T, first newer, then older releases: nvidia-container-toolkit#1679. */
    {"/usr/lib/aarch64-linux-gnu/nvidia", CUA_FOUND_WELL_KNOWN},
    {"/usr/lib/aarch64-linux-gnu/tegra", CUA_FOUND_WELL_KNOWN},
};

/* The compat folders of a toolkit, below /usr/local/cuda* or CUDA_HOME: those of toolkit packages,
 * NGC images and Jetson images. In NGC images compat/lib is a link to lib.real; the link is missing
 * if the image's entry point found the bundled driver unusable. */
static const char *const compat[] = {"compat", "compat/lib", "compat/lib.real", "compat_orin"};

#define MAX_TOOLKITS 128
#define MAX_CACHED   64 /* most entries of ld.so.cache that are used; ldconfig writes one or two */

/* Allocated, because it is too large for a thread's stack. */
struct scan {
    const struct cua_subject *subject;
    int (*fn)(void *data, const char *folder, unsigned found);
    void *data;
    struct cua_ldso ldso;
    char folder[PATH_MAX], real[PATH_MAX];
    char toolkit[MAX_TOOLKITS][64]; /* names of the folders cuda* in /usr/local */
    size_t toolkits, cached;
    bool near; /* skip compat folders on other mounts (cua_subject_is_near) */
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

static int report(const struct scan *scan, const char *folder, unsigned found)
{
    if (found & (CUA_FOUND_LIBRARY_PATH | CUA_FOUND_CACHE) &&
        cua_folder_is_compat(folder, strlen(folder)))
        found |= CUA_FOUND_COMPAT;
    return scan->fn(scan->data, folder, found);
}

/* Reports the folders in LD_LIBRARY_PATH. ld.so splits it at colons and semicolons; an empty entry
 * means the working directory. */
static int library_path(struct scan *scan)
{
    const char *at = scan->subject->library_path;
    int ended = 0;

    if (!at || !*at)
        return 0;
    for (; !ended; at++) {
        size_t length = strcspn(at, ":;");
        if (cua_copy_n(scan->folder, sizeof scan->folder, at, length))
            ended = report(scan, length ? scan->folder : ".", CUA_FOUND_LIBRARY_PATH);
        at += length;
        if (!*at)
            break;
    }
    return ended;
}

static int cached(void *data, const char *file)
{
    const char *slash = strrchr(file, '/');
    struct scan *scan = data;

    if (file[0] != '/' || scan->cached++ >= MAX_CACHED ||
        !cua_copy_n(scan->folder, sizeof scan->folder, file, (size_t)(slash - file)))
        return 0;
    return report(scan, scan->folder[0] ? scan->folder : "/", CUA_FOUND_CACHE);
}

static int cache_folders(struct scan *scan)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", "libcuda.so.1.1"};
    struct cua_cache *cache = cua_cache_take(scan->subject);
    int ended = 0;

    for (size_t i = 0; cache && i < sizeof names / sizeof *names && !ended; i++)
        ended = cua_cache_each(cache, &scan->ldso, names[i], cached, scan);
    cua_cache_give(cache);
    return ended;
}

/* Whether a folder is, by its name, for libraries of another architecture, which no process of this
 * machine can load. An image may be for another machine, so for an image no folder counts as
 * foreign. */
static bool is_foreign(const struct scan *scan, const char *folder)
{
    const char *other =
        scan->ldso.machine == EM_X86_64 ? "/aarch64-linux-gnu" : "/x86_64-linux-gnu";

    return !scan->subject->whatif && strstr(folder, other);
}

static int default_folders(struct scan *scan)
{
    const char *const *own = scan->ldso.folders;
    int ended = 0;

    for (; *own && !ended; own++)
        ended = report(scan, *own, CUA_FOUND_DEFAULT);
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !ended; i++) {
        for (own = scan->ldso.folders; *own && strcmp(*own, folders[i].folder) != 0;)
            own++;
        if (!*own && !is_foreign(scan, folders[i].folder))
            ended = report(scan, folders[i].folder, folders[i].found);
    }
    return ended;
}

/* Reports the compat folders that exist in one toolkit's folder. Resolves that folder first, once:
 * if it does not exist, nothing below it needs to be looked up. */
static int compat_below(struct scan *scan, const char *toolkit)
{
    const size_t size = sizeof scan->folder;
    struct stat st;
    int ended = 0;

    if ((scan->near && !cua_subject_is_near(scan->subject, toolkit)) ||
        cua_subject_resolve(scan->subject, toolkit, scan->real) != 0)
        return 0;
    for (size_t i = 0; i < sizeof compat / sizeof *compat && !ended; i++) {
        if (cua_join(scan->folder, size, toolkit, compat[i]) &&
            (!scan->near || cua_subject_is_near(scan->subject, scan->folder)) &&
            cua_join(scan->folder, size, scan->real, compat[i]) &&
            cua_real_lstat(scan->subject, scan->folder, &st) == 0 &&
            cua_join(scan->folder, size, toolkit, compat[i]))
            ended = report(scan, scan->folder, CUA_FOUND_COMPAT);
    }
    return ended;
}

static int keep_toolkit(void *data, const char *name, unsigned char type)
{
    struct scan *scan = data;

    (void)type;
    scan->toolkits += cua_starts(name, "cuda") &&
                      cua_copy(scan->toolkit[scan->toolkits], sizeof *scan->toolkit, name);
    return scan->toolkits == MAX_TOOLKITS;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Reports the compat folders of all toolkits in /usr/local, sorted by the toolkit's name, because
 * each file system lists a folder in its own order. */
static int compat_folders(struct scan *scan)
{
    char toolkit[sizeof *scan->toolkit + 16];
    int ended = 0;

    scan->toolkits = 0;
    cua_subject_list(scan->subject, "/usr/local", keep_toolkit, scan);
    qsort(scan->toolkit, scan->toolkits, sizeof *scan->toolkit, by_name);
    for (size_t i = 0; i < scan->toolkits && !ended; i++) {
        cua_join(toolkit, sizeof toolkit, "/usr/local", scan->toolkit[i]);
        ended = compat_below(scan, toolkit);
    }
    return ended;
}

static int environment_folders(struct scan *scan)
{
    const char *cuda = cua_subject_env(scan->subject, "CUDA_HOME");
    const char *conda = cua_subject_env(scan->subject, "CONDA_PREFIX");
    int ended = 0;

    if (cuda && cuda[0] == '/')
        ended = compat_below(scan, cuda);
    if (!ended && conda && conda[0] == '/' &&
        cua_join(scan->folder, sizeof scan->folder, conda, "cuda-compat") &&
        (!scan->near || cua_subject_is_near(scan->subject, scan->folder)))
        ended = report(scan, scan->folder, CUA_FOUND_COMPAT);
    return ended;
}

static int mapped_files(struct scan *scan)
{
    int ended = 0;

    for (char **file = scan->subject->mapped; file && *file && !ended; file++)
        if (cua_starts(cua_basename(*file), "libcuda.so"))
            ended = report(scan, *file, CUA_FOUND_MAPPED);
    if (!cua_subject_is_own(scan->subject))
        return ended;
    return cua_mapped_libcuda(scan->folder) ? report(scan, scan->folder, CUA_FOUND_MAPPED) : 0;
}

static struct scan *start(const struct cua_subject *subject,
                          int (*fn)(void *data, const char *folder, unsigned found), void *data)
{
    struct scan *scan = malloc(sizeof *scan);

    if (!scan)
        return NULL;
    scan->subject = subject;
    scan->fn = fn;
    scan->data = data;
    scan->cached = 0;
    scan->near = false;
    return scan;
}

int cua_folders_each(const struct cua_subject *subject,
                     int (*fn)(void *data, const char *folder, unsigned found), void *data)
{
    static int (*const kinds[])(struct scan *) = {mapped_files,   library_path,
                                                  cache_folders,  default_folders,
                                                  compat_folders, environment_folders};
    struct scan *scan = start(subject, fn, data);
    int ended = 0;

    if (!scan)
        return -ENOMEM;
    cua_ldso_of(&scan->ldso, subject);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !ended; i++)
        ended = kinds[i](scan);
    free(scan);
    return ended;
}

static int is_bundled(void *data, const char *folder, unsigned found)
{
    (void)data;
    (void)folder;
    return found & CUA_FOUND_COMPAT;
}

bool cua_folders_bundle(const struct cua_subject *subject)
{
    struct scan *scan = start(subject, is_bundled, NULL);

    if (!scan)
        return false;
    scan->near = true;
    bool found = library_path(scan) || compat_folders(scan) || environment_folders(scan);
    free(scan);
    return found;
}
