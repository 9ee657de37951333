/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/scan.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "base/version.h"

#define MOST_SECTIONS 16384u
#define MOST_SEGMENTS 256u
#define BIT(end)      (1u << (end))

struct code_scan {
    struct cua_code *code;
    const struct cua_code_target *target;
    void (*each)(void *data, const struct cua_code_entry *entry);
    void *data;
    int fd;
    uint64_t size, left;      /* bytes that sections may still cover: a sound file's are apart */
    bool compiler;            /* by its name */
    bool relocatable, counts; /* whose modules count, else only the entries */
    bool linkable;            /* PTX for this GPU that does not count */
    /* The module so far. Bit n: an entry for this GPU that alone would end in n. */
    unsigned elf, ptx, least; /* least: of PTX that is too new, the oldest */
    bool other, empty, loads; /* loads: it is a driver's to load */
};

unsigned cua_code_ptx_of(unsigned cuda, bool *sure)
{
    const struct cua_row_ptx *row = cua_code_ptx;

    *sure = false;
    if (cuda < row->cuda)
        return 0;
    while (row[1].cuda && row[1].cuda <= cuda)
        row++;
    /* What came after the last row, nobody knows. */
    *sure = row->sure && (row[1].cuda || row->cuda == cuda);
    while (row > cua_code_ptx && !row->sure)
        row--;
    return row->ptx;
}

unsigned cua_code_cuda_of(unsigned ptx)
{
    const struct cua_row_ptx *row = cua_code_ptx;

    while (row->cuda && row->ptx < ptx)
        row++;
    return row->cuda;
}

/* Binaries of these run on no other chip, and none of others on them. */
static bool is_tegra(unsigned sm)
{
    return sm == 53 || sm == 62 || sm == 72 || sm == 87 || sm == 88 || sm == 101 || sm == 110;
}

static bool fits(const struct cua_code_entry *entry, unsigned cc)
{
    const bool elf = entry->kind == CUA_CODE_ELF;

    if (entry->suffix == 'a' || (elf && (is_tegra(entry->sm) || is_tegra(cc))))
        return entry->sm == cc;
    return entry->sm <= cc && (entry->sm / 10 == cc / 10 || (!elf && entry->suffix != 'f'));
}

static enum cua_code_end end_of(const struct cua_code_entry *entry,
                                const struct cua_code_target *target)
{
    const bool ptx = entry->kind == CUA_CODE_PTX;

    if (ptx && target->ptx && entry->version > target->ptx)
        return target->ptx_sure ? CUA_CODE_222 : CUA_CODE_UNKNOWN;
    if (entry->packed == CUA_PACKED_OTHER || (ptx && !target->ptx))
        return CUA_CODE_UNKNOWN;
    if (entry->packed == CUA_PACKED_ZSTD && target->cuda < cua_code_zstd)
        return target->cuda ? CUA_CODE_200 : CUA_CODE_UNKNOWN;
    return CUA_CODE_SERVES;
}

static enum cua_code_end module_end(const struct code_scan *scan)
{
    if (scan->elf & BIT(CUA_CODE_SERVES))
        return CUA_CODE_SERVES;
    /* Whether a driver that cannot unpack the binary goes on to PTX is not known. */
    if (scan->elf & BIT(CUA_CODE_200) && !(scan->ptx & BIT(CUA_CODE_SERVES)))
        return CUA_CODE_200;
    if (scan->elf)
        return CUA_CODE_UNKNOWN;
    for (enum cua_code_end end = CUA_CODE_SERVES; end < CUA_CODE_ENDS; end++)
        if (scan->ptx & BIT(end))
            return end;
    return scan->other ? CUA_CODE_UNKNOWN : CUA_CODE_209;
}

static void end_module(struct code_scan *scan)
{
    const enum cua_code_end end = module_end(scan);

    if (scan->counts && scan->loads && !scan->empty) {
        scan->code->modules++;
        scan->code->end[end]++;
        if (end == CUA_CODE_222 && scan->least > scan->code->ptx)
            scan->code->ptx = scan->least;
    }
    scan->linkable |= !scan->counts && scan->ptx;
    scan->elf = scan->ptx = scan->least = 0;
    scan->other = scan->empty = scan->loads = false;
}

static void take(void *data, const struct cua_code_entry *entry)
{
    struct code_scan *scan = data;
    const struct cua_code_target *target = scan->target;

    if (!entry) {
        end_module(scan);
        return;
    }
    scan->code->entries++;
    scan->empty |= entry->empty;
    scan->loads |= entry->kind != CUA_CODE_LTO;
    scan->other |= entry->kind == CUA_CODE_OTHER || !target->cc;
    if (scan->each)
        scan->each(scan->data, entry);
    if (entry->kind == CUA_CODE_OTHER || entry->kind == CUA_CODE_LTO || !fits(entry, target->cc))
        return;
    const enum cua_code_end end = end_of(entry, target);
    *(entry->kind == CUA_CODE_ELF ? &scan->elf : &scan->ptx) |= BIT(end);
    if (end == CUA_CODE_222 && (!scan->least || entry->version < scan->least))
        scan->least = entry->version;
}

static bool covers(struct code_scan *scan, uint64_t at, uint64_t size)
{
    const bool sound = at <= scan->size && size <= scan->size - at && size <= scan->left;

    if (sound)
        scan->left -= size;
    else
        scan->code->trouble = "its ELF headers are damaged";
    return sound;
}

static void scan_part(struct code_scan *scan, uint64_t at, uint64_t size)
{
    if (covers(scan, at, size) && !cua_fatbin_scan(scan->fd, at, at + size, take, scan))
        scan->code->trouble = "it cannot be read to its end";
}

/* "Cuda compilation tools, release 12.9, V12.9.86", not the same with %d in it. */
static void find_release(struct code_scan *scan, uint64_t at, uint64_t end)
{
    static const char mark[] = "Cuda compilation tools, release ";
    char text[8] = "";

    while (!scan->code->compiler && cua_code_find(scan->fd, &at, end, mark, sizeof mark - 1) &&
           end - at > sizeof mark + sizeof text) {
        at += sizeof mark - 1;
        if (!cua_code_read(scan->fd, text, sizeof text - 1, at))
            return;
        text[strspn(text, "0123456789.")] = 0;
        scan->code->compiler = cua_cuda_parse(text);
    }
}

static void scan_section(struct code_scan *scan, const GElf_Shdr *section, const char *name)
{
    const unsigned long before = scan->code->entries;
    const bool whole = strcmp(name, ".nv_fatbin") == 0;

    if (section->sh_flags & SHF_EXECINSTR || !(section->sh_flags & SHF_ALLOC) ||
        cua_starts(name, ".eh_frame") || strcmp(name, ".gcc_except_table") == 0)
        return;
    /* What device linking reads, and makes .nv_fatbin of. */
    scan->counts = scan->relocatable || strcmp(name, "__nv_relfatbin") != 0;
    scan_part(scan, section->sh_offset, section->sh_size);
    if (whole && scan->code->entries == before)
        scan->code->trouble = "its GPU code has a form that is not known here";
    if (scan->compiler && !scan->code->trouble)
        find_release(scan, section->sh_offset, section->sh_offset + section->sh_size);
}

/* False where the file has no sections that can be used. Names are read one by one: libelf would
 * take the whole table into memory, which is as large as the file pretends. */
static bool each_section(struct code_scan *scan, Elf *elf, const GElf_Ehdr *header)
{
    Elf_Scn *scn = header->e_shnum ? elf_getscn(elf, header->e_shstrndx) : NULL;
    GElf_Shdr names, section;

    if (!scn || !gelf_getshdr(scn, &names) || names.sh_type != SHT_STRTAB)
        return false;
    for (scn = NULL; (scn = elf_nextscn(elf, scn));) {
        char name[24] = "";
        if (!gelf_getshdr(scn, &section) || section.sh_type != SHT_PROGBITS || !section.sh_size ||
            section.sh_name >= names.sh_size || names.sh_offset > scan->size)
            continue;
        const uint64_t rest = names.sh_size - section.sh_name;
        if (cua_code_read(scan->fd, name, rest < sizeof name - 1 ? rest : sizeof name - 1,
                          names.sh_offset + section.sh_name))
            scan_section(scan, &section, name);
    }
    return true;
}

static void scan_elf(struct code_scan *scan, const GElf_Ehdr *header)
{
    GElf_Phdr segment;
    Elf *elf = NULL;

    elf_version(EV_CURRENT);
    if (header->e_shnum <= MOST_SECTIONS && header->e_phnum <= MOST_SEGMENTS)
        elf = elf_begin(scan->fd, ELF_C_READ, NULL);
    if (!elf)
        scan->code->trouble = "its ELF headers are damaged";
    else if (!each_section(scan, elf, header))
        for (int i = 0; i < header->e_phnum; i++)
            if (gelf_getphdr(elf, i, &segment) && segment.p_type == PT_LOAD)
                scan_part(scan, segment.p_offset, segment.p_filesz);
    elf_end(elf);
    if (scan->linkable && scan->code->end[CUA_CODE_209] && !scan->code->end[CUA_CODE_SERVES] &&
        !scan->code->trouble)
        scan->code->trouble = "the driver may link it anew from PTX that lies beside it";
}

static void scan_ptx(struct code_scan *scan)
{
    char text[8192 + 1], suffix = 0;
    const uint64_t size = scan->size < sizeof text - 1 ? scan->size : sizeof text - 1;
    struct cua_code_entry entry = {.kind = CUA_CODE_PTX};
    unsigned major, minor;

    text[size] = 0;
    const char *version = cua_code_read(scan->fd, text, size, 0) ? strstr(text, ".version") : NULL;
    const char *target = version ? strstr(version, ".target") : NULL;
    if (!target || sscanf(version, ".version %2u.%1u", &major, &minor) != 2 ||
        sscanf(target, ".target sm_%3u%c", &entry.sm, &suffix) < 1)
        entry.kind = CUA_CODE_OTHER;
    else
        entry.version = major * 10 + minor;
    entry.suffix = suffix == 'a' || suffix == 'f' ? suffix : 0;
    take(scan, &entry);
    take(scan, NULL);
}

/* The chip is the low byte of the flags, from the eighth version of the ABI on the next one. */
static void scan_cubin(struct code_scan *scan, const GElf_Ehdr *header)
{
    const bool later = header->e_ident[EI_ABIVERSION] >= 8;
    const struct cua_code_entry entry = {
        .kind = CUA_CODE_ELF,
        .sm = header->e_flags >> (later ? 8 : 0) & 0xff,
        .suffix = header->e_flags & (later ? 0x8u : 0x800u) ? 'a' : 0,
    };

    take(scan, &entry);
    take(scan, NULL);
}

bool cua_code_scan(struct cua_code *code, int fd, const char *name,
                   const struct cua_code_target *target,
                   void (*each)(void *data, const struct cua_code_entry *entry), void *data)
{
    const char *base = cua_basename(name);
    struct code_scan scan = {code, target, each, data, fd, .counts = true};
    GElf_Ehdr header = {0};
    struct stat st;

    memset(code, 0, sizeof *code);
    if (cua_fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    scan.size = (uint64_t)st.st_size;
    scan.left = 2 * scan.size; /* segments may share pages */
    scan.compiler = cua_starts(base, "ptxas") || cua_starts(base, "libnvrtc.so") ||
                    cua_starts(base, "libnvvm.so") || cua_starts(base, "libnvJitLink.so") ||
                    cua_starts(base, "libnvidia-ptxjitcompiler.so");
    if (cua_ends(name, ".ptx"))
        return scan_ptx(&scan), true;
    if (!cua_code_read(fd, &header, scan.size < sizeof header ? scan.size : sizeof header, 0))
        return false;
    if (memcmp(&header, cua_fatbin_magic, sizeof cua_fatbin_magic) == 0)
        return scan_part(&scan, 0, scan.size), true;
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type > ET_DYN)
        return false;
    scan.relocatable = header.e_type == ET_REL;
    (header.e_machine == EM_CUDA ? scan_cubin : scan_elf)(&scan, &header);
    return true;
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
