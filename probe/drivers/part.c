/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and identifies the files of a part of a driver. part.h explains the terms. */
#include "drivers/part.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/whole.h"
#include "drivers/folders.h"
#include "elf/symbols.h"
#include "machine/mounts.h"
#include "machine/trust.h"

/* The content of a larger file is not searched. */
#define MAX_CONTENT (16 << 20)
#define KERNEL_MARK "/proc/driver/nvidia"

/* The lowest driver branch with a libcuda. A lower number is the library's own version: driver 470
 * has libnvidia-nvvm.so.4.0.0, and other vendors have libnvcuvid.so.1.0.0. */
#define LEAST_BRANCH 100

bool cua_part_named(const char *file, struct cua_version *version)
{
    const char *last = NULL;

    for (const char *so = file; (so = strstr(so, ".so.")); so += 4)
        last = so;
    if (last && cua_version_parse(version, last + 4) && version->part[0] >= LEAST_BRANCH)
        return true;
    memset(version, 0, sizeof *version);
    return false;
}

struct mount_root {
    const char *file;
    struct cua_version version;
};

static int on_mount(void *data, const char *point, const char *root)
{
    struct mount_root *mounted = data;

    if (strcmp(point, mounted->file) == 0) {
        memset(&mounted->version, 0, sizeof mounted->version);
        /* Of several mounts on one file, the last counts: it hides the others. */
        cua_part_named(root, &mounted->version);
    }
    return 0;
}

/* Takes the version from a string in the content, as NVML and the video decoder have one. Takes the
 * version that equals `driver`. Without such a version the part belongs to another driver, and the
 * last version counts. Skips a library without KERNEL_MARK: it does not talk to the kernel driver,
 * so a string like a version may be any number. */
static void search_content(struct cua_umd *umd, const struct cua_version *driver)
{
    size_t size = 0;
    char *bytes = cua_whole_file(umd->real, MAX_CONTENT, &size);
    struct cua_version found;

    if (bytes && !memmem(bytes, size, KERNEL_MARK, strlen(KERNEL_MARK)))
        size = 0;
    for (const char *at = bytes, *end = bytes + size; at && at < end; at += strlen(at) + 1) {
        size_t length = *at >= '1' && *at <= '9' ? cua_version_parse(&found, at) : 0;
        if (!length || at[length] || found.part[0] < LEAST_BRANCH)
            continue;
        umd->version = found;
        umd->version_from_content = true;
        if (cua_version_compare(&found, driver) == 0)
            break;
    }
    free(bytes);
}

/* Whether the file contains the text `mark`; true if the file is too large or cannot be read. */
static bool holds(const char *file, const char *mark)
{
    size_t size;
    char *bytes = cua_whole_file(file, MAX_CONTENT, &size);
    bool found = !bytes || memmem(bytes, size, mark, strlen(mark));

    free(bytes);
    return found;
}

/* Judges a file that is named like NVML: CUA_UMD_USABLE only if it is NVIDIA's. NVIDIA's NVML, from
 * 390 on, has the SONAME libnvidia-ml.so.1, exports no function of libcuda, and calls ioctl. It
 * must also have KERNEL_MARK in its content or a version in its name. A quota tool's NVML may have
 * these two, so they alone do not suffice. */
static enum cua_umd_state judge_nvml(const struct cua_umd *umd, struct cua_elf *elf)
{
    struct cua_elf_symbol symbols[] = {{.name = "cuInit"}, {.name = "ioctl", .imported = true}};
    char soname[64] = "libnvidia-ml.so.1";
    struct cua_version version;
    uint64_t at;

    if (!cua_elf_symbols(elf, symbols, 2))
        return CUA_UMD_DAMAGED;
    if (cua_elf_value(elf, DT_SONAME, &at))
        cua_elf_string(elf, at, soname, sizeof(soname));
    if (symbols[0].found || strcmp(soname, "libnvidia-ml.so.1") != 0)
        return CUA_UMD_FOREIGN;
    /* A file without ioctl is NVIDIA's only if it is a toolkit's link stub. */
    if (!symbols[1].found)
        return holds(umd->real, "NVIDIA Display Driver") ? CUA_UMD_STUB : CUA_UMD_FOREIGN;
    return cua_part_named(umd->real, &version) || holds(umd->real, KERNEL_MARK) ? CUA_UMD_USABLE
                                                                                : CUA_UMD_FOREIGN;
}

/* Whether a file is a link stub: it is in a folder `stubs` and calls neither dlopen nor ioctl. The
 * folder alone proves nothing. */
static bool is_stub(const struct cua_umd *umd, struct cua_elf *elf)
{
    struct cua_elf_symbol symbols[] = {{.name = "dlopen", .imported = true},
                                       {.name = "ioctl", .imported = true}};

    return strstr(umd->real, "/stubs/") && cua_elf_symbols(elf, symbols, 2) && !symbols[0].found &&
           !symbols[1].found;
}

/* Corrects or completes umd->version, which is from the file's name. If another file is mounted
 * over this one, that name belongs to the hidden file, so the mounted file's name counts instead.
 * If no name shows a version, searches the content. */
static void find_version(struct cua_umd *umd, const struct cua_version *driver)
{
    struct mount_root mounted = {.file = umd->real};
    struct stat st;

    if (cua_version_known(&umd->version) && cua_mount_at(AT_FDCWD, umd->real, &st) != 0) {
        mounted.version = umd->version;
        cua_mounts_each(&cua_here, on_mount, &mounted);
        umd->version = mounted.version;
    }
    if (!cua_version_known(&umd->version))
        search_content(umd, driver);
}

/* Identifies a part. If the file's name has the driver's version, only the ELF headers and the
 * dynamic section are checked. */
static void identify(struct cua_umd *umd, const struct cua_part *part)
{
    int fd = cua_real_open(&cua_here, umd->real);
    struct cua_elf elf;
    enum cua_elf_state state = cua_elf_open(&elf, fd, NULL, cua_elf_own_machine());

    umd->state = fd < 0 || elf.failed                                   ? CUA_UMD_UNREADABLE
                 : state == CUA_ELF_OTHER                               ? CUA_UMD_ARCH
                 : state == CUA_ELF_FINE && elf.header.e_type == ET_DYN ? CUA_UMD_USABLE
                                                                        : CUA_UMD_DAMAGED;
    cua_part_named(umd->real, &umd->version);
    if (umd->state == CUA_UMD_USABLE && cua_version_compare(&umd->version, part->driver) != 0) {
        if (strcmp(part->stem, "libnvidia-ml") == 0)
            umd->state = judge_nvml(umd, &elf);
        else if (is_stub(umd, &elf))
            umd->state = CUA_UMD_STUB;
        if (umd->state == CUA_UMD_USABLE)
            find_version(umd, part->driver);
    }
    if (state == CUA_ELF_FINE)
        cua_elf_close(&elf);
}

static struct cua_umd *add(struct cua_facts *facts, const struct cua_part *part, const char *real,
                           const char *path, const struct stat *st)
{
    struct cua_umd_key key = cua_umd_key_of(st);
    struct cua_umd *umd = cua_facts_umd(facts, &key);

    if (umd || !(umd = calloc(1, sizeof *umd)))
        return umd;
    umd->key = key;
    umd->real = strdup(real);
    umd->path = strdup(path);
    if (umd->real && umd->path)
        HASH_ADD(hh, facts->umds, key, sizeof umd->key, umd);
    if (umd->hh.tbl) {
        identify(umd, part);
        return umd;
    }
    free(umd->real);
    free(umd->path);
    free(umd);
    return NULL;
}

void cua_part_loader(struct cua_facts *facts, const struct cua_part *part, const char *file)
{
    char real[PATH_MAX];
    struct stat st;

    if (file[0] && cua_subject_find(&cua_here, file, real, &st, NULL) == 0)
        facts->loader = add(facts, part, real, real, &st);
}

/* Allocated, because it is too large for a thread's stack. */
struct native_search {
    struct cua_facts *facts;
    const struct cua_subject *subject;
    const struct cua_part *part;
    struct cua_trust trust;
    char path[PATH_MAX], real[PATH_MAX], distrust[PATH_MAX];
};

/* Sets facts->native to the STEM.so.VERSION in `folder`, if that file is usable, trusted, and not
 * the loader's choice. Trust must be checked because ld.so itself would not open this name.
 * `mounted`: the libcuda in this folder is a mount point, so the part may be a mount point too.
 * True if facts->native is set. */
static bool try_native(struct native_search *search, const char *folder, bool mounted)
{
    struct cua_umd *umd = NULL;
    struct stat st;

    if (snprintf(search->path, sizeof(search->path), "%s/%s.so.%s", folder, search->part->stem,
                 search->part->driver->text) < (int)sizeof(search->path) &&
        cua_subject_find(search->subject, search->path, search->real, &st, NULL) == 0 &&
        S_ISREG(st.st_mode) &&
        cua_trusted(&search->trust, search->subject, search->real, &st, mounted, search->distrust))
        umd = add(search->facts, search->part, search->real,
                  cua_subject_inside(search->subject, search->real), &st);
    if (umd && umd->state == CUA_UMD_USABLE && umd != search->facts->loader)
        search->facts->native = umd;
    return search->facts->native;
}

static int on_folder(void *data, const char *folder, unsigned found)
{
    (void)found;
    return folder[0] == '/' && try_native(data, folder, false);
}

void cua_part_native(struct cua_facts *facts, const struct cua_subject *subject,
                     const struct cua_part *part)
{
    struct native_search *search =
        cua_version_known(part->driver) ? calloc(1, sizeof(*search)) : NULL;
    char folder[PATH_MAX];

    if (!search)
        return;
    search->facts = facts;
    search->subject = subject;
    search->part = part;
    const struct cua_umd *umd = part->umd(part->data);
    if (!umd || !try_native(search, cua_subject_inside(subject, cua_umd_folder(umd, folder)),
                            umd->found & CUA_FOUND_MOUNT))
        cua_folders_each(subject, on_folder, search);
    free(search);
}
