/* SPDX-License-Identifier: Apache-2.0 */
#include "answer/requested_library.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "base/whole.h"
#include "loader/mapped.h"
#include "machine/trust.h"
#include "drivers/folders.h"
#include "elf/symbols.h"

bool cua_requested_parse(struct cua_requested *request, const char *name)
{
    const struct cua_library *row;
    const char *tail;

    request->file = cua_basename(name);
    row = cua_library_of(request->file, &tail);
    if (!row || !cua_library_tail_plain(tail))
        return false;
    request->kind = (enum cua_library_kind)row->kind;
    request->stem = row->stem;
    request->version = *tail ? tail + 1 : tail;
    return true;
}

bool cua_same_file(const char *a, const char *b)
{
    struct stat sa, sb;

    return cua_stat(a, &sa) == 0 && cua_stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
           sa.st_ino == sb.st_ino;
}

static bool exists(const char *path)
{
    struct stat st;
    return cua_stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The driver version in a file name such as libnvidia-nvvm.so.550.163.01; a bare SONAME number such
 * as ".so.4" is none. */
static bool name_version(const char *path, struct cua_version *version)
{
    const char *last = NULL;

    for (const char *so = path; (so = strstr(so, ".so.")); so += 4)
        last = so;
    return last && cua_version_parse(version, last + 4) > 0;
}

int cua_requested_in_folder(const struct cua_requested *request, const char *folder,
                            const struct cua_version *version, char *out)
{
    bool renamed = request->kind != CUA_LIBRARY_EXACT && cua_version_known(version);
    char plain[PATH_MAX];
    struct cua_version other;

    if (renamed &&
        snprintf(out, PATH_MAX, "%s/%s.so.%s", folder, request->stem, version->text) < PATH_MAX &&
        exists(out))
        return 0;
    if (!cua_join(plain, sizeof(plain), folder, request->file) ||
        cua_subject_resolve(&cua_here, plain, out) != 0 || !exists(out) ||
        (renamed && name_version(out, &other) && cua_version_compare(&other, version) != 0))
        return -ENOENT;
    return 0;
}

/* Too large for a thread's stack. */
struct bound_search {
    const struct cua_requested *request;
    const struct cua_subject *subject;
    const struct cua_version *kmd;
    char *out;
    struct cua_trust trust;
    char path[PATH_MAX], distrust[PATH_MAX];
};

/* ld.so would not have opened this exact name, so the file must be trusted like a candidate. */
static bool try_bound(struct bound_search *search, const char *folder, bool mounted)
{
    struct stat st;

    return snprintf(search->path, sizeof(search->path), "%s/%s.so.%s", folder,
                    search->request->stem, search->kmd->text) < (int)sizeof(search->path) &&
           cua_subject_find(search->subject, search->path, search->out, &st, NULL) == 0 &&
           S_ISREG(st.st_mode) &&
           cua_trusted(&search->trust, search->subject, search->out, &st, mounted,
                       search->distrust);
}

static int bound_in_folder(void *data, const char *folder, unsigned found)
{
    (void)found;
    return folder[0] == '/' && try_bound(data, folder, false);
}

int cua_requested_bound(const struct cua_requested *request, const struct cua_subject *subject,
                        const struct cua_umd *native, const struct cua_version *kmd, char *out)
{
    struct bound_search *search = cua_version_known(kmd) ? calloc(1, sizeof(*search)) : NULL;
    char folder[PATH_MAX];

    if (!search)
        return -ENOENT;
    search->request = request;
    search->subject = subject;
    search->kmd = kmd;
    search->out = out;
    bool found =
        (native && try_bound(search, cua_subject_inside(subject, cua_umd_folder(native, folder)),
                             native->found & CUA_FOUND_MOUNT)) ||
        cua_folders_each(subject, bound_in_folder, search) == 1;
    free(search);
    return found ? 0 : -ENOENT;
}

/* True on doubt. */
static bool holds(const char *file, const char *mark)
{
    size_t size;
    char *bytes = cua_whole_file(file, 16 << 20, &size);
    bool found = !bytes || memmem(bytes, size, mark, strlen(mark));

    free(bytes);
    return found;
}

/* Every real NVML from 390 on bears this SONAME, exports nothing of libcuda's and asks the kernel
 * by ioctl. A quota's may read /proc/driver/nvidia as well, or be copied over a name with a
 * version. A toolkit's link stub is NVIDIA's, too. What ld.so would not load is no other maker's.
 */
static bool is_nvidias(struct cua_elf *elf, const char *real)
{
    struct cua_elf_symbol symbols[] = {{.name = "cuInit"}, {.name = "ioctl", .imported = true}};
    char soname[64] = "libnvidia-ml.so.1";
    struct cua_version version;
    uint64_t at;

    if (!cua_elf_symbols(elf, symbols, 2))
        return true;
    if (cua_elf_value(elf, DT_SONAME, &at))
        cua_elf_string(elf, at, soname, sizeof(soname));
    if (symbols[0].found || strcmp(soname, "libnvidia-ml.so.1") != 0)
        return false;
    return symbols[1].found ? name_version(real, &version) || holds(real, "/proc/driver/nvidia")
                            : holds(real, "NVIDIA Display Driver");
}

bool cua_requested_foreign(const struct cua_requested *request, const char *file)
{
    char real[PATH_MAX];
    struct cua_elf elf;

    if (strcmp(request->stem, "libnvidia-ml") != 0 ||
        cua_subject_resolve(&cua_here, file, real) != 0 || strstr(real, "/stubs/") ||
        cua_elf_open(&elf, cua_real_open(&cua_here, real), NULL, cua_elf_own_machine()) !=
            CUA_ELF_FINE)
        return false;
    bool foreign = !is_nvidias(&elf, real);
    cua_elf_close(&elf);
    return foreign;
}

bool cua_other_mapped(const char *name, const char *file)
{
    struct cua_mapped mapped;

    if (strchr(name, '/') || cua_mapped_read(&mapped) != 0)
        return false;
    const struct cua_mapped_object *object = cua_mapped_find(&mapped, name);
    bool other = object && !cua_same_file(object->name, file);
    cua_mapped_free(&mapped);
    return other;
}

int cua_folder_of(const char *file, char *folder)
{
    char *slash = cua_subject_resolve(&cua_here, file, folder) ? NULL : strrchr(folder, '/');

    if (slash)
        *slash = '\0';
    return slash ? 0 : -ENOENT;
}
