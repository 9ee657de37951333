/* SPDX-License-Identifier: Apache-2.0 */
/* copy.h says what the tmpfs, the shim, the answerer and the preload file are. */
#include "deploy/hook/copy.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/whole.h"
#include "deploy/hook/kernel.h"
#include "deploy/hook/libc.h"
#include "deploy/install/stub32.h"
#include "deploy/node/nvidia_config.h"
#include "cuarbiter/ident.h"
#include "cuarbiter/names.h"
#include "elf/file.h"

#define MOST_FILE ((size_t)16 << 20)
#define ATTEMPTS  4
#define PAGE      ((size_t)4096)
#define PRELOAD   "ld.so.preload"

static const char *const files[] = {CUA_FILE_SHIM, CUA_FILE_ANSWERER, CUA_FILE_COMMAND};

static int leave(struct cua_copy *copy, const char *why, int error)
{
    copy->why = why;
    return error;
}

/* Whether a segment is complete: after a crash of the machine, a page that never reached the disk
 * reads as zeros. So false if the segment has a page of zeros (a part of a page counts if it has
 * more than 64 bytes). Not called for writable segments, the only ones in cuarbiter's three files
 * that may contain a page of zeros. */
static bool is_written(const char *bytes, const Elf64_Phdr *segment)
{
    size_t end = segment->p_offset + segment->p_filesz, length;

    for (size_t at = segment->p_offset; at < end; at += length) {
        length = end - at < PAGE ? end - at : PAGE - at % PAGE;
        if (!bytes[at] && length > 64 && !memcmp(bytes + at, bytes + at + 1, length - 1))
            return false;
    }
    return true;
}

/* Whether a file is a complete ELF file of this architecture, of type ET_DYN or, if `is_static`,
 * ET_EXEC. ld.so maps a truncated file without complaint, and the program dies when it touches the
 * missing part. The section headers are at the end of a file, so their presence shows that the file
 * is not truncated. */
static bool is_whole(const char *bytes, size_t size, bool is_static)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)bytes;
    const Elf64_Phdr *segment;

    if (cua_elf_glance(bytes, size, cua_elf_own_machine()) != CUA_ELF_FINE ||
        (header->e_type != ET_DYN && !(is_static && header->e_type == ET_EXEC)) ||
        header->e_phentsize != sizeof(*segment) || header->e_phoff > size ||
        header->e_phnum > (size - header->e_phoff) / sizeof(*segment) || header->e_shoff > size ||
        !header->e_shnum || header->e_shentsize != sizeof(Elf64_Shdr) ||
        header->e_shnum > (size - header->e_shoff) / sizeof(Elf64_Shdr))
        return false;
    segment = (const Elf64_Phdr *)(const void *)(bytes + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segment[i].p_type == PT_LOAD &&
            (segment[i].p_offset > size || segment[i].p_filesz > size - segment[i].p_offset ||
             (!(segment[i].p_flags & PF_W) && !is_written(bytes, &segment[i]))))
            return false;
    return header->e_phoff % sizeof(uint64_t) == 0;
}

static int put(int folder, const char *name, const void *bytes, size_t size, unsigned mode)
{
    int fd = cua_open_inside(folder, name, O_WRONLY | O_CREAT | O_EXCL, mode, CUA_NO_LINKS);
    ssize_t done = fd < 0 ? fd : write(fd, bytes, size);
    int error = fd < 0 ? fd : done < 0 ? -errno : (size_t)done < size ? -ENOSPC : 0;

    if (fd >= 0)
        close(fd);
    return error;
}

/* Whether a file is the shim (by its DT_SONAME) and needs nothing that the container lacks: no
 * library but libc, and no later glibc version than root->libc. If ld.so cannot load what a library
 * from ld.so.preload needs, the program ends at its start. That would end every program in the
 * container. */
static bool is_shim(const char *bytes, size_t size, int fd, const struct cua_root *root)
{
    struct cua_elf elf;
    uint64_t at;
    char name[64];

    if (cua_newest_glibc(bytes, size) > root->libc ||
        cua_elf_open(&elf, fcntl(fd, F_DUPFD_CLOEXEC, 0), NULL, cua_elf_own_machine()) !=
            CUA_ELF_FINE)
        return false;
    bool ours = cua_elf_value(&elf, DT_SONAME, &at) &&
                cua_elf_string(&elf, at, name, sizeof(name)) && !strcmp(name, CUA_FILE_SHIM);
    for (unsigned i = 0; i < elf.entries; i++)
        if (elf.entry[i].d_tag == DT_NEEDED)
            ours &= cua_elf_string(&elf, elf.entry[i].d_un.d_val, name, sizeof(name)) &&
                    !strcmp(name, "libc.so.6");
    cua_elf_close(&elf);
    return ours;
}

/* Whether a file is an answerer: a static program that contains the answerer's mark
 * (cuarbiter/ident.h). The name does not suffice, because the shim would start any program that has
 * this name. */
static bool is_answerer(const char *bytes, size_t size)
{
    static const char mark[] = CUA_IDENT_MARK "answerer ";
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)bytes;
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(const void *)(bytes + header->e_phoff);

    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segment[i].p_type == PT_INTERP)
            return false;
    return memmem(bytes, size, mark, sizeof(mark) - 1);
}

/* Why one of `files` is not copied that has failed a check. */
static const char *refusal(const char *name)
{
    if (!strcmp(name, CUA_FILE_SHIM))
        return CUA_FILE_SHIM " of the node is damaged, or needs a later glibc than the container's";
    return strcmp(name, CUA_FILE_ANSWERER) != 0 ? CUA_FILE_COMMAND " of the node is damaged"
                                                : CUA_FILE_ANSWERER " of the node is damaged";
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Checks the file `name` in the folder `home` and copies it to the tmpfs. Returns 0 on success.
 * Returns -EAGAIN if the file passed the checks but was written meanwhile, because the copy might
 * mix two builds. Otherwise returns another -errno, such as -ENOEXEC if a check failed. */
static int copy_once(struct cua_copy *copy, int home, const char *name, const struct cua_root *root)
{
    struct stat st, after;
    size_t size = 0;
    int fd = openat(home, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return leave(copy, name, -errno);
    if (cua_fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        close(fd);
        return leave(copy, name, -EINVAL);
    }
    int again = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    char *bytes = cua_whole(fd, MOST_FILE, &size);
    bool answerer = !strcmp(name, CUA_FILE_ANSWERER);
    int error = !bytes ? -errno : !is_whole(bytes, size, answerer) ? -ENOEXEC : 0;
    if (bytes && !error && answerer && !is_answerer(bytes, size))
        error = -ENOEXEC;
    if (!error && !strcmp(name, CUA_FILE_SHIM) && !is_shim(bytes, size, again, root))
        error = -ENOEXEC;
    if (!error && (cua_fstat(again, &after) || !is_same(&st, &after)))
        error = -EAGAIN;
    close(again);
    if (!error)
        error = put(copy->folder, name, bytes, size, 0755);
    free(bytes);
    return error ? leave(copy, error == -ENOEXEC ? refusal(name) : name, error) : 0;
}

/* Copies a file like copy_once, but tries up to ATTEMPTS times if the result is -EAGAIN. copy_once
 * also returns -EAGAIN if a package manager replaces the file meanwhile, because unlinking changes
 * the old file's ctime. */
static int copy_file(struct cua_copy *copy, int home, const char *name, const struct cua_root *root)
{
    int error, tries = 0;

    do
        error = copy_once(copy, home, name, root);
    while (error == -EAGAIN && ++tries < ATTEMPTS);
    return error;
}

static int make_link(int folder, const char *target, const char *name)
{
    return symlinkat(target, folder, name) ? -errno : 0;
}

/* Called if the root also has a 32-bit loader. Then the shim's entry in the preload file contains
 * $LIB, which ld.so replaces by a folder's name. Makes an entry in the tmpfs `folder` for each name
 * that ld.so may use:
 * - `lib`, the name for 64-bit programs, is a link to `folder` itself, which contains the shim. If
 *   `lib` is "lib", lib64 is such a link too.
 * - Each name for 32-bit programs is a folder with a library that does nothing (stub32.h).
 * `cuarbiter install` does the same, except for this link lib64 and for 32-bit names of the other
 * architecture. Returns 0 or -errno. */
static int make_stubs(int folder, const char *lib)
{
    static const char *const stubs[] = {"lib", "lib32", "lib/i386-linux-gnu",
                                        "lib/arm-linux-gnueabihf"};
    const void *bytes;
    size_t size = cua_stub32(&bytes);
    char name[64];

    if (strcmp(lib, "lib") == 0) {
        if (make_link(folder, ".", "lib") || make_link(folder, ".", "lib64") ||
            mkdirat(folder, "lib32", 0755))
            return -errno;
        return put(folder, "lib32/" CUA_FILE_SHIM, bytes, size, 0755);
    }
    for (size_t i = 0; i < sizeof(stubs) / sizeof(*stubs); i++) {
        snprintf(name, sizeof(name), "%s/" CUA_FILE_SHIM, stubs[i]);
        if (mkdirat(folder, stubs[i], 0755) || put(folder, name, bytes, size, 0755))
            return -EIO;
    }
    return make_link(folder, strchr(lib, '/') ? ".." : ".", lib);
}

/* Makes the new preload file in the tmpfs: the lines of the container's own file, then a line for
 * the shim. The shim comes last, so that the order of the other libraries stays as it is. */
static int put_preload(struct cua_copy *copy, const struct cua_root *root)
{
    bool ends = !root->length || root->text[root->length - 1] == '\n';
    size_t room = root->length + 128;
    char *text = malloc(room);
    int size, error = -ENOMEM;

    if (text) {
        memcpy(text, root->text, root->length);
        size = snprintf(text + root->length, 128, "%s/" CUA_HOOK_FOLDER "/%s" CUA_FILE_SHIM "\n",
                        ends ? "" : "\n", root->lib ? "$LIB/" : "");
        error = put(copy->folder, PRELOAD, text, root->length + (size_t)size, root->mode);
    }
    /* fchownat fails if the owner has no ID in this user namespace. Then no user of the namespace
     * could write the original as its owner, so the copy is mounted read-only. The copy belongs to
     * this process's user instead. If not all users may read the file, that could lock programs
     * out, so it is an error. */
    if (!error && fchownat(copy->folder, PRELOAD, root->uid, root->gid, AT_SYMLINK_NOFOLLOW)) {
        copy->writable = false;
        error = root->mode & S_IROTH ? 0 : -errno;
    }
    free(text);
    return error ? leave(copy, PRELOAD, error) : 0;
}

int cua_copy_make(struct cua_copy *copy, const struct cua_root *root, const char *home,
                  const struct cua_container *container)
{
    int from = open(home, O_PATH | O_DIRECTORY | O_CLOEXEC), error = 0;
    mode_t before = umask(0);

    *copy = (struct cua_copy){.folder = -1,
                              .writable = !container->readonly && !root->sealed,
                              .site = {-1, -1},
                              .reports = {-1, -1}};
    if (from < 0)
        error = leave(copy, home, -errno);
    if (!error && (copy->folder = cua_mount_tmpfs(container->label)) < 0)
        error = leave(copy, "the tmpfs for cuarbiter's files could not be made", copy->folder);
    for (size_t i = 0; !error && i < sizeof(files) / sizeof(*files); i++)
        error = copy_file(copy, from, files[i], root);
    if (!error && cua_nvidia_hook_off("") && put(copy->folder, CUA_FILE_HOOK_OFF, "", 0, 0644))
        error = leave(copy, CUA_FILE_HOOK_OFF, -EIO);
    if (!error && put(copy->folder, CUA_HOOK_MARK, "", 0, 0644))
        error = leave(copy, CUA_HOOK_MARK, -EIO);
    if (!error && root->lib && make_stubs(copy->folder, root->lib))
        error = leave(copy, "the library for 32-bit programs", -EIO);
    if (!error)
        error = put_preload(copy, root);
    if (!error) {
        cua_hook_share_site(&copy->site, copy->folder, from, container->mighty);
        cua_hook_share_reports(&copy->reports, copy->folder, container->mighty);
        cua_hook_drivers_take(&copy->drivers, copy->folder, home, container->mighty);
        error = cua_mount_seal(copy->folder);
        if (error)
            leave(copy, "the mount at /" CUA_HOOK_FOLDER " failed", error);
    }
    umask(before);
    if (from >= 0)
        close(from);
    return error;
}

int cua_copy_mount(struct cua_copy *copy, struct cua_root *root)
{
    int preload, error = cua_mount_move(copy->folder, root->folder);

    if (error)
        return leave(copy, "the mount at /" CUA_HOOK_FOLDER " failed", error);
    cua_hook_share_mount(&copy->site);
    cua_hook_share_mount(&copy->reports);
    cua_hook_drivers_mount(&copy->drivers);
    error = cua_root_sees(root, copy->folder);
    if (error)
        return error;
    preload = cua_mount_clone(copy->folder, PRELOAD, false);
    if (preload < 0)
        return leave(copy, "the mount at /etc/ld.so.preload failed", preload);
    error = copy->writable ? cua_mount_unseal(preload) : 0;
    error = error ? error : cua_mount_move(preload, root->preload);
    close(preload);
    return error ? leave(copy, "the mount at /etc/ld.so.preload failed", error) : 0;
}

void cua_copy_release(struct cua_copy *copy)
{
    if (copy->folder >= 0)
        close(copy->folder);
    cua_hook_share_release(&copy->site);
    cua_hook_share_release(&copy->reports);
    cua_hook_drivers_release(&copy->drivers);
}
