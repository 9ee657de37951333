/* SPDX-License-Identifier: Apache-2.0 */
#include "store/finish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"

#define NONE CUA_STAGE_FOLDERS

static bool is_libcuda(const char *name)
{
    return cua_starts(name, "libcuda.so.");
}

static void path_of(const struct cua_stage *stage, const char *name, char *path)
{
    cua_join(path, PATH_MAX, stage->store->path, CUA_STORE_NEW);
    cua_join(path, PATH_MAX, path, name);
}

static void identify(const struct cua_stage *stage, const char *name, struct cua_umd *umd,
                     char *path)
{
    uint64_t budget = UINT64_MAX;
    struct stat st = {0};
    int fd = -1;

    memset(umd, 0, sizeof *umd);
    path_of(stage, name, path);
    umd->real = umd->path = path;
    (void)cua_stat(path, &st);
    cua_identify(umd, &cua_here, &fd, &st, "", cua_elf_own_machine(), &budget);
}

/* Whether the version in the file's name is the same as `content`, the version in its content. True
 * also if one of the two is not known. If false, store->why receives the reason. */
static bool agrees(struct cua_stage *stage, const struct cua_staged *file,
                   const struct cua_version *content)
{
    struct cua_version named;

    return !cua_identity_named(file->name, &named) || !cua_version_known(content) ||
           cua_version_compare(&named, content) == 0 ||
           cua_store_refuse(stage->store, "the content of %s is of another driver, %s", file->name,
                            content->text);
}

/* Chooses the folder with the libcuda that this machine can load; *folder receives its index in
 * stage->folder. False, with the reason in store->why, if there is no such libcuda, if there are
 * two that differ, if one is Tegra's, or if one has another version in its name than in its
 * content. */
static bool choose(struct cua_stage *stage, unsigned *folder)
{
    const struct cua_staged *chosen = NULL;
    char why[256] = "", path[PATH_MAX], here[CUA_MEMBER_NAME + 16];
    struct cua_umd umd;

    for (unsigned i = 0; i < stage->files; i++) {
        const struct cua_staged *file = &stage->file[i];
        if (!is_libcuda(file->name))
            continue;
        snprintf(here, sizeof here, "%u-%s", file->folder, file->name);
        identify(stage, here, &umd, path);
        if (umd.state != CUA_UMD_USABLE) {
            snprintf(why, sizeof why, "%.90s: %s", file->name, umd.trouble);
            continue;
        }
        if (!agrees(stage, file, &umd.version))
            return false;
        if (umd.tegra)
            return cua_store_refuse(stage->store, "%s is a Tegra driver, which cannot be added",
                                    file->name);
        if (chosen && strcmp(chosen->sha256, file->sha256))
            return cua_store_refuse(stage->store,
                                    "it contains two different drivers: %s%s and %s%s",
                                    stage->folder[chosen->folder], chosen->name,
                                    stage->folder[file->folder], file->name);
        /* Of several copies of libcuda, take the one with the longest name, which has the
         * version. */
        if (!chosen || strlen(file->name) > strlen(chosen->name))
            chosen = file;
    }
    *folder = chosen ? chosen->folder : NONE;
    return chosen ||
           cua_store_refuse(stage->store, "%s",
                            why[0] ? why : "it contains no libcuda.so.1 or libcuda.so.VERSION");
}

/* Whether a file has the same content as one with a longer name in its folder: such a file was a
 * link, which some tool has replaced by a copy. */
static bool is_copy(const struct cua_stage *stage, const struct cua_staged *file)
{
    for (unsigned i = 0; i < stage->files; i++) {
        const struct cua_staged *other = &stage->file[i];
        if (other->folder == file->folder && strlen(other->name) > strlen(file->name) &&
            !strcmp(other->sha256, file->sha256))
            return true;
    }
    return false;
}

static struct cua_manifest_file *add_row(struct cua_manifest *manifest, const char *name)
{
    struct cua_manifest_file *row = &manifest->file[manifest->files++];

    memset(row, 0, sizeof *row);
    cua_copy(row->name, sizeof row->name, name);
    return row;
}

static bool has_row(const struct cua_manifest *manifest, const char *name)
{
    for (unsigned i = 0; i < manifest->files; i++)
        if (!strcmp(manifest->file[i].name, name))
            return true;
    return false;
}

static bool keep_files(struct cua_stage *stage, unsigned folder, struct cua_manifest *manifest)
{
    char here[CUA_MEMBER_NAME + 16];

    for (unsigned i = 0; i < stage->files; i++) {
        const struct cua_staged *file = &stage->file[i];
        bool kept = file->folder == folder && !is_copy(stage, file);
        snprintf(here, sizeof here, "%u-%s", file->folder, file->name);
        if (kept ? renameat(stage->dir, here, stage->dir, file->name)
                 : unlinkat(stage->dir, here, 0))
            return cua_store_refuse(stage->store, "%s: %s", file->name, strerror(errno));
        if (!kept)
            continue;
        struct cua_manifest_file *row = add_row(manifest, file->name);
        row->size = file->size;
        cua_copy(row->sha256, sizeof row->sha256, file->sha256);
    }
    return true;
}

/* Makes a link `name` to the file `target`, and lists the link in the manifest. `name` is the
 * file's SONAME, by which ld.so or libcuda opens it. Makes no link, and returns true, if `name`
 * exists already or is no name of a driver's library. */
static bool link_name(struct cua_stage *stage, struct cua_manifest *manifest, const char *name,
                      const char *target)
{
    if (cua_member_of(name) != CUA_MEMBER_LIBRARY)
        return true;
    if (!strcmp(name, target) || has_row(manifest, name))
        return true;
    if (symlinkat(target, stage->dir, name))
        return cua_store_refuse(stage->store, "%s: %s", name, strerror(errno));
    cua_copy(add_row(manifest, name)->target, CUA_MEMBER_NAME, target);
    return true;
}

static bool link_files(struct cua_stage *stage, struct cua_manifest *manifest)
{
    unsigned files = manifest->files;
    char soname[CUA_MEMBER_NAME];
    struct cua_elf elf;
    uint64_t at;

    for (unsigned i = 0; i < files; i++) {
        const char *name = manifest->file[i].name;
        int fd = openat(stage->dir, name, O_RDONLY | O_CLOEXEC);
        soname[0] = '\0';
        enum cua_elf_state state = cua_elf_open(&elf, fd, NULL, cua_elf_own_machine());
        if (state != CUA_ELF_FINE)
            return cua_store_refuse(stage->store, "%s: %s", name,
                                    state == CUA_ELF_OTHER ? "built for another architecture"
                                                           : elf.trouble);
        if (cua_elf_value(&elf, DT_SONAME, &at))
            cua_elf_string(&elf, at, soname, sizeof soname);
        cua_elf_close(&elf);
        if (is_libcuda(name))
            cua_copy(soname, sizeof soname, "libcuda.so.1");
        if (soname[0] && !link_name(stage, manifest, soname, name))
            return false;
    }
    return true;
}

static bool take_licence_row(struct cua_stage *stage, struct cua_manifest *manifest)
{
    struct stat st;
    int fd = stage->depth ? openat(stage->dir, CUA_LICENCE, O_RDONLY | O_CLOEXEC) : -1;

    if (fd < 0)
        return true;
    struct cua_manifest_file *row = add_row(manifest, CUA_LICENCE);
    bool read = cua_fstat(fd, &st) == 0 && cua_sha256_file(fd, row->sha256) == 0;
    row->size = read ? (uint64_t)st.st_size : 0;
    close(fd);
    return read || cua_store_refuse(stage->store, CUA_LICENCE " cannot be read");
}

bool cua_stage_finish(struct cua_stage *stage, struct cua_manifest *manifest)
{
    char path[PATH_MAX];
    struct cua_umd umd;
    unsigned folder = NONE;

    if (!choose(stage, &folder) || !keep_files(stage, folder, manifest) ||
        !link_files(stage, manifest) || !take_licence_row(stage, manifest))
        return false;
    memset(&umd, 0, sizeof umd);
    for (unsigned i = 0; i < manifest->files && !cua_version_known(&umd.version); i++)
        if (is_libcuda(manifest->file[i].name) && !manifest->file[i].target[0])
            identify(stage, manifest->file[i].name, &umd, path);
    if (!cua_version_known(&umd.version))
        return cua_store_refuse(
            stage->store, "neither the name nor the content of its libcuda shows the version");
    if (!umd.companions)
        return cua_store_refuse(stage->store, "it lacks %s, which libcuda needs to compile PTX",
                                umd.missing);
    stage->version = umd.version;
    stage->cuda = umd.cuda;
    cua_copy(manifest->version, sizeof manifest->version, umd.version.text);
    return true;
}
