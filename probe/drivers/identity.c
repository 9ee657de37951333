/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies a libcuda by its content and its name. identity.h explains the terms. */
#include "drivers/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/compat_note.h"
#include "elf/file.h"
#include "elf/symbols.h"
#include "base/text.h"

/* Real drivers, except WSL's, have 10 MB or more. A search of a whole file ends after MAX_CONTENT
 * bytes. A name and an import of ioctl prove a driver only if the file has at least LEAST bytes. A
 * smaller file must have the note (elf/compat_note.h) or a version in its content (VERSION_MARK),
 * or be Tegra's or WSL's. */
#define MAX_CONTENT (96u << 20)
#define LEAST       (4u << 20)
/* No driver but WSL's is smaller than this. A smaller file is searched as a whole, not only
 * .rodata. */
#define SMALL (1u << 20)

/* Precedes the version in .rodata, as in "nvidia-application-profiles-550.163.01-rc". Every driver
 * from 390 to 555 has it exactly once, on both architectures. .rodata names many driver versions; a
 * version without this prefix may be another driver's. */
#define VERSION_MARK "nvidia-application-profiles-"
/* A driver contains one of these paths, and calls ioctl. A library that meters the use of a real
 * driver may contain them too, but calls no ioctl itself. */
#define DRIVER_MARK "/proc/driver/nvidia"
#define NODE_MARK   "/dev/nvidia"

/* The functions that are looked up in the symbol table. */
enum { INIT, IOCTL, DLOPEN, NVML, SYMBOLS };

bool cua_identity_named(const char *file, struct cua_version *version)
{
    const char *text = cua_basename(file);
    size_t length = 0;

    if (cua_starts(text, "libcuda.so."))
        length = cua_version_parse(version, text + strlen("libcuda.so."));
    /* The first driver with a libcuda is 100.14, so a lower number is no driver's version: the name
     * libcuda.so.1.1 is Tegra's. */
    if (length && !text[strlen("libcuda.so.") + length] && version->part[0] >= 100)
        return true;
    memset(version, 0, sizeof *version);
    return false;
}

/* Whether the function at `address` is a link stub's. A stub's function only returns 34
 * (CUDA_ERROR_STUB_LIBRARY), so one of its first instructions loads that value. */
static bool answers_stub(struct cua_elf *elf, uint64_t address)
{
    static const unsigned char returns_34[][4] = {
        {0xb8, 0x22, 0, 0},       /* x86_64: mov $0x22,%eax */
        {0x40, 0x04, 0x80, 0x52}, /* aarch64: mov w0, #0x22 */
    };
    unsigned char code[16];
    size_t size = sizeof code;
    uint64_t at;

    while (!cua_elf_offset(elf, address, size, &at))
        if (--size < 4)
            return false;
    if (!cua_elf_bytes(elf, at, code, size))
        return false;
    return memmem(code, size, returns_34[0], 4) || memmem(code, size, returns_34[1], 4);
}

/* The search of a file's content: what is searched for, and what was found so far. */
struct content {
    bool whole; /* do not end at the first version; search for DRIVER_MARK and NODE_MARK too */
    bool talks; /* the file imports ioctl and is large enough for a driver */
    bool spent; /* the budget was used up before the end of the search */
    uint64_t *budget;
    bool driver;
    bool ambiguous;
    struct cua_version version;
};

static void search_part(struct content *content, const char *text, size_t size)
{
    const size_t length = strlen(VERSION_MARK);
    const char *mark = text;

    while ((mark = memmem(mark, size - (size_t)(mark - text), VERSION_MARK, length))) {
        struct cua_version found;
        mark += length;
        if (!cua_version_parse(&found, mark) || found.part[0] < 100 ||
            (size_t)(mark - text) + CUA_VERSION_TEXT > size)
            continue;
        content->ambiguous |= cua_version_known(&content->version) &&
                              cua_version_compare(&content->version, &found) != 0;
        content->version = found;
        content->driver = true;
    }
    if (content->whole && content->talks && !content->driver)
        content->driver = memmem(text, size, DRIVER_MARK, strlen(DRIVER_MARK)) ||
                          memmem(text, size, NODE_MARK, strlen(NODE_MARK));
}

static void search_range(struct cua_elf *elf, struct content *content, uint64_t at, uint64_t end)
{
    enum { CHUNK = 32 << 10, KEEP = 64 };
    char *buf = malloc(KEEP + CHUNK + 1);
    size_t kept = 0;

    elf->failed |= !buf;
    while (buf && at < end && (content->whole || !cua_version_known(&content->version))) {
        size_t n = end - at < CHUNK ? (size_t)(end - at) : CHUNK, size = kept + n;
        content->spent = *content->budget < n;
        if (content->spent || !cua_elf_bytes(elf, at, buf + kept, n))
            break;
        *content->budget -= n;
        at += n;
        buf[size] = 0;
        search_part(content, buf, size);
        kept = size < KEEP ? size : KEEP;
        memmove(buf, buf + size - kept, kept);
    }
    free(buf);
}

/* Finds where the file has its strings: in .rodata, recognized as the largest section that is
 * neither code nor writable. Takes the whole file, up to MAX_CONTENT, if the file is small, has too
 * many sections, or has no such section. */
static void find_texts(struct cua_elf *elf, uint64_t *at, uint64_t *size)
{
    Elf64_Shdr section[64];
    unsigned count = elf->header.e_shnum;

    *at = 0;
    *size = elf->size < MAX_CONTENT ? elf->size : MAX_CONTENT;
    if (*size < SMALL || !count || count > sizeof section / sizeof *section ||
        !cua_elf_bytes(elf, elf->header.e_shoff, section, count * sizeof *section))
        return;
    for (unsigned i = 0, found = 0; i < count; i++) {
        if (section[i].sh_type != SHT_PROGBITS ||
            section[i].sh_flags & (SHF_WRITE | SHF_EXECINSTR) || section[i].sh_offset > elf->size ||
            section[i].sh_size > elf->size - section[i].sh_offset ||
            (found && section[i].sh_size <= *size))
            continue;
        found = 1;
        *at = section[i].sh_offset;
        *size = section[i].sh_size;
    }
}

/* Searches the content of a file that its name and symbols do not identify. `parts`, in thousandths
 * of .rodata: where drivers 535 to 555 have the version, where 390 to 450 have it, and all of
 * .rodata. If .rodata has neither a version nor a driver's marks, and the file calls ioctl and is
 * large enough for a driver, searches the whole file. */
static void search_content(struct cua_elf *elf, struct content *content)
{
    static const unsigned parts[][2] = {{920, 933}, {990, 1000}, {0, 1000}};
    uint64_t at, size;

    find_texts(elf, &at, &size);
    for (size_t i = size < SMALL ? 2 : 0;
         i < 3 && !content->spent && !cua_version_known(&content->version); i++) {
        content->whole = i == 2;
        search_range(elf, content, at + size * parts[i][0] / 1000, at + size * parts[i][1] / 1000);
    }
    if (content->talks && !content->driver && !content->spent)
        search_range(elf, content, 0, elf->size < MAX_CONTENT ? elf->size : MAX_CONTENT);
    if (content->ambiguous)
        memset(&content->version, 0, sizeof content->version);
}

static void refuse(struct cua_umd *umd, enum cua_umd_state state, const char *why)
{
    umd->state = state;
    snprintf(umd->trouble, sizeof umd->trouble, "%s", why);
}

static void find_version(struct cua_umd *umd, struct cua_elf *elf,
                         const struct cua_elf_symbol *symbols, uint64_t *budget)
{
    bool named = cua_version_known(&umd->version) && !umd->version_doubtful;
    bool talks = symbols[IOCTL].found && elf->size >= LEAST;
    bool driver = talks && named;
    struct content content = {.budget = budget};

    driver = driver || umd->note.present || umd->tegra;
    if (driver && named)
        return;
    /* WSL's libcuda counts as a driver although it is small: it only loads the libcuda in Windows'
     * driver store. */
    content.driver = driver || cua_below(umd->path, "/usr/lib/wsl");
    content.talks = talks;
    search_content(elf, &content);
    if (!named && !umd->tegra) {
        umd->version = content.version;
        umd->version_from_content = cua_version_known(&content.version);
        umd->version_doubtful = false;
    }
    if (content.spent) {
        umd->state = CUA_UMD_UNREADABLE;
        snprintf(umd->trouble, sizeof umd->trouble,
                 "it could not be identified: cuarbiter searches at most %u MiB in all libcuda "
                 "files together, and that was used up",
                 CUA_SEARCH_MOST >> 20);
    } else if (!content.driver) {
        refuse(umd, CUA_UMD_FOREIGN, "exports cuInit, but does not talk to NVIDIA's kernel driver");
    }
}

static void read_library(struct cua_umd *umd, struct cua_elf *elf, uint64_t *budget)
{
    struct cua_elf_symbol symbols[SYMBOLS] = {
        [INIT] = {.name = "cuInit"},
        [IOCTL] = {.name = "ioctl", .imported = true},
        [DLOPEN] = {.name = "dlopen", .imported = true},
        [NVML] = {.name = "nvmlInit_v2"},
    };
    const char *name = cua_basename(umd->real);
    bool in_stubs = name - umd->real > 6 && cua_starts(name - 7, "/stubs/");
    char soname[64] = "libcuda.so.1";
    uint64_t at;

    if (!cua_elf_symbols(elf, symbols, SYMBOLS)) {
        refuse(umd, CUA_UMD_DAMAGED, "its symbol table is damaged");
        return;
    }
    if (!symbols[INIT].found) {
        refuse(umd, CUA_UMD_DAMAGED, "not a libcuda: it does not export cuInit");
        return;
    }
    if (cua_elf_value(elf, DT_SONAME, &at) && cua_elf_string(elf, at, soname, sizeof soname))
        umd->tegra |= strcmp(soname, "libcuda.so.1.1") == 0;
    /* A file with the functions of both libcuda and NVML is vcuda's libcuda-control.so. gpu-manager
     * copies it to the file names of libcuda and NVML. */
    if (symbols[NVML].found || !cua_starts(soname, "libcuda.so")) {
        refuse(umd, CUA_UMD_FOREIGN, "exports cuInit, but is not NVIDIA's libcuda");
        return;
    }
    /* No driver before 575 is known to have the note (elf/compat_note.h). So before 565, which
     * leaves a margin, skip the sections: searching them costs more than searching the segments. */
    cua_elf_note(elf, &umd->note, !cua_version_known(&umd->version) || umd->version.part[0] >= 565);
    if (!symbols[IOCTL].found &&
        ((!symbols[DLOPEN].found && answers_stub(elf, symbols[INIT].value)) || in_stubs))
        refuse(umd, CUA_UMD_STUB,
               "a link stub of the CUDA toolkit: every call fails with error 34");
    else
        find_version(umd, elf, symbols, budget);
}

/* Whether a companion, whose file name is `stem` followed by `version`, is in the folder of the
 * libcuda. If not, umd->missing receives its name. */
static bool is_beside(struct cua_umd *umd, const struct cua_subject *subject, const char *beside,
                      const char *stem, const char *version)
{
    char path[PATH_MAX];
    struct stat st;

    cua_copy(umd->missing, sizeof umd->missing, stem);
    cua_append(umd->missing, sizeof umd->missing, version);
    snprintf(path, sizeof path, "/%s/", umd->missing);
    if (!strstr(beside, path) &&
        (!cua_join(path, sizeof path, cua_umd_folder(umd, path), umd->missing) ||
         cua_real_stat(subject, path, &st) != 0))
        return false;
    umd->missing[0] = 0;
    return true;
}

/* Sets umd->companions: whether the libraries that libcuda needs to compile PTX lie beside it, in
 * the driver's own version. Debian's packages of drivers 390 to 555 have:
 * - libnvidia-ptxjitcompiler.so.VERSION
 * - from 525 on, libnvidia-nvvm.so.VERSION (470 has libnvidia-nvvm.so.4.0.0)
 * - in 390 and 418, libnvidia-fatbinaryloader.so.VERSION, by DT_NEEDED (`needs`; "": none)
 *
 * cuda-compat has the same files: JuliaGPU/CUDA.jl#1859, spack#18449. Tegra's drivers, unusable
 * files and files of unknown version are not checked, and count as complete. */
static void check_companions(struct cua_umd *umd, const struct cua_subject *subject,
                             const char *beside, const char *needs)
{
    const struct cua_version *version = &umd->version;

    umd->companions =
        umd->tegra || umd->state != CUA_UMD_USABLE || !cua_version_known(version) ||
        (is_beside(umd, subject, beside, "libnvidia-ptxjitcompiler.so.", version->text) &&
         (version->part[0] < 525 ||
          is_beside(umd, subject, beside, "libnvidia-nvvm.so.", version->text)) &&
         (!needs[0] || is_beside(umd, subject, beside, needs, "")));
}

void cua_identify(struct cua_umd *umd, const struct cua_subject *subject, int *fd,
                  const struct stat *st, const char *beside, unsigned machine, uint64_t *budget)
{
    enum cua_elf_state state;
    char needs[64] = "";
    struct cua_elf elf;

    if (!S_ISREG(st->st_mode)) {
        refuse(umd, CUA_UMD_DAMAGED, S_ISDIR(st->st_mode) ? "a folder" : "not a regular file");
        return;
    }
    if (*fd < 0)
        *fd = cua_real_open(subject, umd->real);
    if (*fd < 0) {
        refuse(umd, CUA_UMD_UNREADABLE, strerror(-*fd));
        return;
    }
    umd->state = CUA_UMD_USABLE;
    umd->trouble[0] = 0;
    if (!cua_version_known(&umd->version))
        cua_identity_named(umd->real, &umd->version);
    umd->tegra = strcmp(cua_basename(umd->real), "libcuda.so.1.1") == 0;
    state = cua_elf_open(&elf, *fd, st, machine);
    *fd = -1;
    if (state == CUA_ELF_FINE && elf.header.e_type != ET_DYN) {
        refuse(umd, CUA_UMD_DAMAGED, "not a shared library");
        cua_elf_close(&elf);
    } else if (state == CUA_ELF_FINE) {
        read_library(umd, &elf, budget);
        cua_elf_needs(&elf, "libnvidia-", needs, sizeof needs);
        cua_elf_close(&elf);
    } else if (state == CUA_ELF_OTHER) {
        refuse(umd, CUA_UMD_ARCH, "built for another architecture");
    } else {
        refuse(umd, CUA_UMD_DAMAGED, elf.trouble);
    }
    if (elf.failed)
        refuse(umd, CUA_UMD_UNREADABLE, "could not be read");
    umd->cuda = umd->note.present ? umd->note.cuda : 0;
    check_companions(umd, subject, beside, needs);
}
