/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/scan.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "base/version.h"

#define MOST_SECTIONS 16384u
#define MOST_SEGMENTS 256u
#define WINDOW        (64u << 10)

struct code_scan {
    struct cua_code *code;
    const struct cua_code_target *target;
    struct cua_code_module module;
    void (*each)(void *data, const struct cua_code_entry *entry);
    void *data;
    struct cua_code_visitor visitor;
    int fd;
    uint64_t size, left; /* bytes that sections may still cover: those of a sound file are apart */
    bool compiler;       /* by its name */
    bool relocatable;    /* the pass for that code */
    bool counts;         /* modules count, else only their entries are seen */
};

static void take_entry(void *data, const struct cua_code_entry *entry)
{
    struct code_scan *scan = data;

    scan->code->entries++;
    cua_code_add(&scan->module, entry, scan->target);
    if (scan->each)
        scan->each(scan->data, entry);
}

static void take_module(void *data, bool broken)
{
    struct code_scan *scan = data;
    struct cua_code *code = scan->code;
    const struct cua_code_module *module = &scan->module;
    enum cua_code_end end = cua_code_end(module);

    if (broken)
        code->trouble = "it holds GPU code that is damaged";
    if (broken && end != CUA_CODE_SERVES)
        end = CUA_CODE_UNKNOWN;
    if (!module->empty && scan->counts) {
        code->modules++;
        code->end[end]++;
        if (end == CUA_CODE_222 && module->least_ptx > code->ptx)
            code->ptx = module->least_ptx;
        code->zstd |= end == CUA_CODE_200;
    }
    scan->module = (struct cua_code_module){0};
}

static void take_alone(struct code_scan *scan, const struct cua_code_entry *entry)
{
    take_entry(scan, entry);
    take_module(scan, false);
}

static void look(struct code_scan *scan, uint64_t at, uint64_t size, bool mixed)
{
    if (at > scan->size || size > scan->size - at || size > scan->left) {
        scan->code->trouble = "its ELF headers are damaged";
        return;
    }
    scan->left -= size;
    if (!cua_fatbin_scan(scan->fd, at, at + size, mixed, &scan->visitor))
        scan->code->trouble = "it cannot be read to its end";
}

/* "Cuda compilation tools, release 12.9, V12.9.86", not the same with %d in it. */
static unsigned find_release(int fd, uint64_t at, uint64_t end)
{
    static const char mark[] = "Cuda compilation tools, release ";
    static char window[WINDOW + 1];

    while (end - at > sizeof mark) {
        uint64_t have = end - at < WINDOW ? end - at : WINDOW;
        if (!cua_code_read(fd, window, have, at))
            return 0;
        window[have] = 0;
        for (char *p = window;
             (p = memmem(p, have - (uint64_t)(p - window), mark, sizeof mark - 1));) {
            p += sizeof mark - 1;
            char version[8] = "";
            snprintf(version, sizeof version, "%.*s", (int)strspn(p, "0123456789."), p);
            if (cua_cuda_parse(version))
                return cua_cuda_parse(version);
        }
        at += have == WINDOW ? have - 64 : have;
    }
    return 0;
}

static void take_section(struct code_scan *scan, const GElf_Shdr *section, const char *name)
{
    const uint64_t at = section->sh_offset, size = section->sh_size;

    /* What device linking made into .nv_fatbin: counts only where that is not there. */
    if (strcmp(name, "__nv_relfatbin") == 0 && scan->relocatable)
        look(scan, at, size, false);
    if (scan->relocatable)
        return;
    if (strcmp(name, ".nv_fatbin") == 0)
        look(scan, at, size, false);
    else if (cua_starts(name, ".rodata") || cua_starts(name, ".data"))
        look(scan, at, size, true);
    if (scan->compiler && !scan->code->compiler && cua_starts(name, ".rodata") &&
        at <= scan->size && size <= scan->size - at)
        scan->code->compiler = find_release(scan->fd, at, at + size);
}

/* False where the file has no sections that libelf can use. Names are read one by one: libelf would
 * take the whole table into memory, which is as large as the file says. */
static bool each_section(struct code_scan *scan, Elf *elf, const GElf_Ehdr *header)
{
    Elf_Scn *scn = elf_getscn(elf, header->e_shstrndx);
    GElf_Shdr names, section;

    if (!scn || !gelf_getshdr(scn, &names) || names.sh_type != SHT_STRTAB)
        return false;
    for (scn = NULL; (scn = elf_nextscn(elf, scn));) {
        char name[24] = "";
        if (!gelf_getshdr(scn, &section) || section.sh_type != SHT_PROGBITS ||
            section.sh_name >= names.sh_size || names.sh_offset > scan->size)
            continue;
        uint64_t rest = names.sh_size - section.sh_name;
        if (cua_code_read(scan->fd, name, rest < sizeof name - 1 ? rest : sizeof name - 1,
                          names.sh_offset + section.sh_name))
            take_section(scan, &section, name);
    }
    return true;
}

static void each_segment(struct code_scan *scan, Elf *elf, const GElf_Ehdr *header)
{
    GElf_Phdr segment;

    for (int i = 0; i < header->e_phnum; i++)
        if (gelf_getphdr(elf, i, &segment) && segment.p_type == PT_LOAD)
            look(scan, segment.p_offset, segment.p_filesz, true);
}

static void scan_elf(struct code_scan *scan, const GElf_Ehdr *header)
{
    Elf *elf;

    if (header->e_shnum > MOST_SECTIONS || header->e_phnum > MOST_SEGMENTS) {
        scan->code->trouble = "it has more sections or segments than any linker writes";
        return;
    }
    elf_version(EV_CURRENT);
    elf = elf_begin(scan->fd, ELF_C_READ, NULL);
    if (!elf) {
        scan->code->trouble = "its ELF headers are damaged";
        return;
    }
    if (header->e_shnum && each_section(scan, elf, header)) {
        scan->relocatable = true;
        scan->counts = scan->code->modules == 0;
        each_section(scan, elf, header);
    } else {
        each_segment(scan, elf, header);
    }
    elf_end(elf);
}

/* The low byte of the flags, from the eighth version of the ABI on the next one. */
static void scan_cubin(struct code_scan *scan, const GElf_Ehdr *header)
{
    const bool later = header->e_ident[EI_ABIVERSION] >= 8;
    struct cua_code_entry entry = {.kind = CUA_CODE_ELF};

    entry.sm = header->e_flags >> (later ? 8 : 0) & 0xff;
    entry.suffix = header->e_flags & (later ? 0x8u : 0x800u) ? 'a' : 0;
    take_alone(scan, &entry);
}

static void scan_ptx(struct code_scan *scan)
{
    char text[8192 + 1], suffix = 0;
    const uint64_t size = scan->size < sizeof text - 1 ? scan->size : sizeof text - 1;
    struct cua_code_entry entry = {.kind = CUA_CODE_PTX};
    const char *version, *target;
    unsigned major, minor;

    text[size] = 0;
    version = cua_code_read(scan->fd, text, size, 0) ? strstr(text, ".version") : NULL;
    target = version ? strstr(version, ".target") : NULL;
    if (!target || sscanf(version, ".version %2u.%1u", &major, &minor) != 2 ||
        sscanf(target, ".target sm_%3u%c", &entry.sm, &suffix) < 1) {
        scan->code->trouble = "it is no PTX";
        return;
    }
    entry.version = major * 10 + minor;
    entry.suffix = suffix == 'a' || suffix == 'f' ? suffix : 0;
    take_alone(scan, &entry);
}

static bool is_compiler(const char *name)
{
    return cua_starts(name, "ptxas") || cua_starts(name, "libnvrtc.so") ||
           cua_starts(name, "libnvvm.so") || cua_starts(name, "libnvJitLink.so");
}

static bool start(struct code_scan *scan, int fd)
{
    struct stat st;

    scan->visitor = (struct cua_code_visitor){take_entry, take_module, scan};
    scan->fd = fd;
    scan->counts = true;
    if (cua_fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    scan->size = (uint64_t)st.st_size;
    scan->left = 2 * scan->size; /* segments may share a page, relocatable code is a second pass */
    return true;
}

bool cua_code_scan(struct cua_code *code, int fd, const char *name,
                   const struct cua_code_target *target,
                   void (*each)(void *data, const struct cua_code_entry *entry), void *data)
{
    struct code_scan scan = {.code = code, .target = target, .each = each, .data = data};
    GElf_Ehdr header;
    bool elf;

    memset(code, 0, sizeof *code);
    if (!start(&scan, fd))
        return false;
    memset(&header, 0, sizeof header);
    if (scan.size < sizeof header || !cua_code_read(fd, &header, sizeof header, 0))
        return cua_ends(name, ".ptx") && (scan_ptx(&scan), true);
    elf = memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
          header.e_ident[EI_DATA] == ELFDATA2LSB;
    scan.compiler = is_compiler(cua_basename(name));
    if (elf && header.e_machine == EM_CUDA)
        scan_cubin(&scan, &header);
    else if (elf)
        scan_elf(&scan, &header);
    else if (cua_ends(name, ".ptx"))
        scan_ptx(&scan);
    else if (cua_is_fatbin(&header))
        look(&scan, 0, scan.size, false);
    else
        return false;
    return true;
}

unsigned cua_code_release(int fd)
{
    static const struct cua_code_target nobody;
    struct cua_code code;

    return cua_code_scan(&code, fd, "ptxas", &nobody, NULL, NULL) ? code.compiler : 0;
}

enum cua_code_result cua_code_result(const struct cua_code *code)
{
    const unsigned long *end = code->end;

    if (end[CUA_CODE_222] + end[CUA_CODE_200] == 0) {
        if (end[CUA_CODE_UNKNOWN] || code->trouble)
            return CUA_RESULT_UNKNOWN;
        return code->modules && !end[CUA_CODE_SERVES] ? CUA_RESULT_209 : CUA_RESULT_NOTHING;
    }
    if (end[CUA_CODE_SERVES])
        return CUA_RESULT_PARTIAL;
    return end[CUA_CODE_222] >= end[CUA_CODE_200] ? CUA_RESULT_222 : CUA_RESULT_200;
}

unsigned cua_code_needs(const struct cua_code *code)
{
    const unsigned ptx = code->ptx ? cua_code_cuda_of(code->ptx) : 0;

    if (code->ptx && !ptx)
        return 0;
    return code->zstd && cua_code_zstd > ptx ? cua_code_zstd : ptx;
}

const char *cua_code_words(const struct cua_code *code, const struct cua_code_target *target,
                           char *words)
{
    const unsigned long *end = code->end;
    int at = 0;

    if (!code->modules) {
        snprintf(words, CUA_CODE_WORDS, "%s",
                 code->trouble ? code->trouble : "no GPU code found in it");
        return words;
    }
    if (cua_code_result(code) == CUA_RESULT_NOTHING)
        at = snprintf(words, CUA_CODE_WORDS, "nothing found against it: ");
    at += snprintf(words + at, CUA_CODE_WORDS - (size_t)at,
                   "%lu of %lu modules run or are compiled by the driver", end[CUA_CODE_SERVES],
                   code->modules);
    if (end[CUA_CODE_222])
        at += snprintf(words + at, CUA_CODE_WORDS - (size_t)at,
                       ", %lu end in 222 (PTX up to %u.%u; this driver takes %u.%u)",
                       end[CUA_CODE_222], code->ptx / 10, code->ptx % 10, target->ptx / 10,
                       target->ptx % 10);
    if (end[CUA_CODE_200])
        at += snprintf(words + at, CUA_CODE_WORDS - (size_t)at,
                       ", %lu end in 200 (packed with zstd, which this driver cannot unpack)",
                       end[CUA_CODE_200]);
    if (end[CUA_CODE_209])
        at += snprintf(words + at, CUA_CODE_WORDS - (size_t)at, ", %lu hold nothing for this GPU",
                       end[CUA_CODE_209]);
    if (end[CUA_CODE_UNKNOWN])
        snprintf(words + at, CUA_CODE_WORDS - (size_t)at, ", %lu are not known%s%s",
                 end[CUA_CODE_UNKNOWN], code->trouble ? ": " : "",
                 code->trouble ? code->trouble : "");
    return words;
}
