/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the entries, in the sections of an ELF file or in a loose .fatbin, .cubin or .ptx, and
 * ranks them by what becomes of them. Headers alone are read, by pread; nothing is unpacked; input
 * is hostile and bounded. The layout of containers, as nvcc and fatbinary write them, is not
 * documented; it is that of files from fatbinary 13.0, and tests/code/real.py compares it with what
 * cuobjdump makes of others.
 */
#include "command/code/scan.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "base/version.h"

#define MOST_SECTIONS 16384u
#define MOST_SEGMENTS 256u
#define MOST_HEAD     (64u << 10)
#define LEAST_PTX     96 /* .version, .target and .address_size alone */
#define WRAPPER       24 /* bytes; the address of its container is behind 8 of them */
#define FLAG_EXACT    0x100000u
#define FLAG_FAMILY   0x200000u
/* With a word size, the host, debugging (the lowest), LTO, and a header that is longer. */
#define FLAGS_KNOWN (0x1010fffu | FLAG_EXACT | FLAG_FAMILY)

/* Of other data before a container. Sections of data may hold hundreds of MB without one; the most
 * that was seen in a file that has one is 11 MB, in libcufft. */
#define MOST_BETWEEN (16u << 20)

/* A driver takes compiled code for its GPU where a module has some, else PTX, else nothing,
 * whatever becomes of it then. So an entry's rank is its end in one of three groups, and the lowest
 * of a module is its own; what is not for a driver has none. */
enum { AS_ELF, AS_PTX = CUA_CODE_ENDS, AS_NONE = 2 * CUA_CODE_ENDS, RANKS = 3 * CUA_CODE_ENDS };

static const char damaged[] = "its ELF headers are damaged";
/* 0xBA55ED50, version 1, a header of 16 bytes; then the number of bytes that follow. */
static const unsigned char magic[8] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};

struct fatbin_entry {
    uint16_t kind, unused;
    uint32_t head;  /* of this and of what precedes the payload */
    uint64_t bytes; /* of payload */
    uint32_t packed, unused2;
    uint16_t minor, major;
    uint32_t sm, name_at, name_size;
    uint64_t flags, unused3, unpacked;
};
_Static_assert(sizeof(struct fatbin_entry) == 64, "as in the file");

struct code_scan {
    struct cua_code *code;
    int fd;
    bool compiler;
    uint64_t size, left; /* bytes that sections may still cover: a sound file's are apart */
    GElf_Shdr wrappers;  /* their section; zero: none was seen */

    bool apart, linkable; /* what comes is no module; such had PTX for this GPU */

    /* Of the module so far, by rank, the least CUDA that its entries need, 0 where none has that
     * rank; some of it is without a kernel. */
    unsigned needs[RANKS];
    bool empty;
};

static char window[256 * 16 * 16 * 16];

const struct cua_code_ptx *cua_code_ptx_of(unsigned compiler)
{
    const struct cua_code_ptx *row = cua_code_ptx;

    while (row[1].cuda <= compiler)
        row++;
    return row;
}

static bool fits(const struct cua_code_entry *entry, unsigned cc)
{
    const bool elf = entry->kind == CUA_CODE_ELF;

    if (entry->suffix[0] == 'a' || (elf && (cua_code_is_tegra(entry->sm) || cua_code_is_tegra(cc))))
        return entry->sm == cc;
    return entry->sm <= cc && (entry->sm / 10 == cc / 10 || (!elf && entry->suffix[0] != 'f'));
}

/* Also the CUDA of a driver that would take it, where this one does not. */
static unsigned rank_of(const struct cua_code_entry *entry, const struct cua_code_target *target,
                        unsigned *needs)
{
    const struct cua_code_ptx *row = cua_code_ptx_of(target->compiler);
    const bool ptx = entry->kind == CUA_CODE_PTX;
    const unsigned group = ptx ? AS_PTX : AS_ELF;

    if (entry->kind == CUA_CODE_OTHER || !target->cc)
        return AS_NONE + CUA_CODE_UNKNOWN;
    if (!fits(entry, target->cc))
        return AS_NONE + CUA_CODE_209;
    if (ptx && (!row->ptx || entry->version > row->ptx)) {
        /* What came after the table's last row, nobody knows. */
        const bool sure =
            row->ptx && (row[1].cuda != CUA_CODE_LATER || row->cuda == target->compiler);
        while (row->ptx < entry->version)
            row++;
        *needs = row->cuda;
        return group + (sure ? CUA_CODE_222 : CUA_CODE_UNKNOWN);
    }
    *needs = entry->packed->cuda;
    if (*needs <= target->cuda)
        return group + CUA_CODE_SERVES;
    return group + (target->cuda && *needs != CUA_CODE_LATER ? CUA_CODE_200 : CUA_CODE_UNKNOWN);
}

static void take(struct code_scan *scan, const struct cua_code_entry *entry)
{
    struct cua_code *code = scan->code;
    unsigned needs = 0;

    if (entry->kind != CUA_CODE_LTO) {
        unsigned *least = &scan->needs[rank_of(entry, code->target, &needs)];
        if (!*least || needs < *least)
            *least = needs ? needs : 1;
    }
    scan->empty |= entry->empty;
    code->entries++;
    if (code->each)
        code->each(entry);
}

static void end_module(struct code_scan *scan)
{
    const unsigned *needs = scan->needs;
    struct cua_code *code = scan->code;
    unsigned rank = 0;

    while (rank < RANKS && !needs[rank])
        rank++;
    enum cua_code_end end = rank % CUA_CODE_ENDS;
    /* Whether a driver that cannot unpack the binary goes on to PTX is not known. */
    if (rank == AS_ELF + CUA_CODE_200 && needs[AS_PTX + CUA_CODE_SERVES])
        end = CUA_CODE_UNKNOWN;
    scan->linkable |= scan->apart && rank >= AS_PTX && rank < AS_NONE;
    if (rank < RANKS && !scan->empty && !scan->apart) {
        code->modules++;
        code->end[end]++;
        if (end >= CUA_CODE_200 && needs[rank] > code->needs)
            code->needs = needs[rank];
    }
    memset(scan->needs, 0, sizeof scan->needs);
    scan->empty = false;
}

static void end_file(struct code_scan *scan)
{
    struct cua_code *code = scan->code;
    const unsigned long *end = code->end, bad = end[CUA_CODE_222] + end[CUA_CODE_200];

    if (scan->linkable && end[CUA_CODE_209] && !end[CUA_CODE_SERVES] && !code->trouble)
        code->trouble = "the driver may link it anew from PTX that lies beside it";
    code->result = bad && end[CUA_CODE_SERVES]                     ? CUA_CODE_PARTIAL
                   : bad && end[CUA_CODE_222] >= end[CUA_CODE_200] ? CUA_CODE_222
                   : bad                                           ? CUA_CODE_200
                   : end[CUA_CODE_UNKNOWN] || code->trouble        ? CUA_CODE_UNKNOWN
                   : end[CUA_CODE_209] && !end[CUA_CODE_SERVES]    ? CUA_CODE_209
                                                                   : CUA_CODE_SERVES;
}

/* All of it, but for what lies behind the file's end, or false. */
static bool read_at(const struct code_scan *scan, void *to, size_t size, uint64_t at)
{
    const ssize_t got = pread(scan->fd, to, size, (off_t)at);

    if (got == (ssize_t)size || (got >= 0 && at + (uint64_t)got >= scan->size))
        return true;
    scan->code->trouble = "it cannot be read to its end";
    return false;
}

/* Moves *at to behind the next of these bytes in [*at, end). False: there are none. Mostly it is
 * right here; reads grow until one is worth a next one that is already on its way. */
static bool find(struct code_scan *scan, uint64_t *at, uint64_t end, const void *bytes, size_t size)
{
    size_t want = 256;

    for (; *at < end && end - *at >= size; want *= want < sizeof window ? 16 : 1) {
        const size_t have = end - *at < want ? (size_t)(end - *at) : want;
        if (want == sizeof window && have < end - *at)
            posix_fadvise(scan->fd, (off_t)(*at + have), sizeof window, POSIX_FADV_WILLNEED);
        if (!read_at(scan, window, have, *at))
            return false;
        const char *found = memmem(window, have, bytes, size);
        *at += found ? (size_t)(found - window) + size : have - (size - 1);
        if (found)
            return true;
    }
    return false;
}

/* False where the entry does not lie in the `room` that its container has left. */
static bool take_raw(struct code_scan *scan, const struct fatbin_entry *raw, uint64_t room)
{
    const bool sound = raw->head >= sizeof *raw && raw->head <= MOST_HEAD && raw->head <= room &&
                       raw->bytes <= room - raw->head;
    const struct cua_code_packing *row = cua_code_packings;
    struct cua_code_entry entry = {.sm = raw->sm, .packed = row + (raw->packed != 0)};

    for (; row->name; row++)
        if (raw->flags & row->flag)
            entry.packed = row;
    if (raw->flags & (FLAG_EXACT | FLAG_FAMILY))
        entry.suffix[0] = raw->flags & FLAG_EXACT ? 'a' : 'f';
    if (sound && !(raw->flags & ~(uint64_t)(FLAGS_KNOWN | entry.packed->flag)) &&
        (raw->kind == CUA_CODE_PTX || raw->kind == CUA_CODE_ELF || raw->kind == CUA_CODE_LTO))
        entry.kind = raw->kind;
    if (entry.kind == CUA_CODE_PTX) {
        entry.version = raw->major * 10u + raw->minor;
        entry.empty = (raw->packed ? raw->unpacked : raw->bytes) < LEAST_PTX;
    }
    if (raw->kind || !sound)
        take(scan, &entry);
    return sound;
}

/* The containers in a part of the file, each a module and none beyond its end, until `between`
 * bytes hold none. */
static void scan_part(struct code_scan *scan, uint64_t at, uint64_t size, uint64_t between)
{
    const uint64_t end = at + size;
    struct fatbin_entry raw;
    uint64_t bytes;

    if (at > scan->size || size > scan->size - at || size > scan->left) {
        scan->code->trouble = damaged;
        return;
    }
    scan->left -= size;
    while (find(scan, &at, end - at > between ? at + between : end, magic, sizeof magic) &&
           end - at >= sizeof bytes && read_at(scan, &bytes, sizeof bytes, at)) {
        at += sizeof bytes;
        if (bytes > end - at) /* only looks like one, or is cut off */
            continue;
        const uint64_t next = at + bytes;
        while (next - at >= sizeof raw && read_at(scan, &raw, sizeof raw, at) &&
               take_raw(scan, &raw, next - at))
            at += raw.head + raw.bytes;
        end_module(scan);
        at = next;
    }
}

/* "Cuda compilation tools, release 12.9, V12.9.86", not the same with %d in it. */
static void find_release(struct code_scan *scan, uint64_t at, uint64_t end)
{
    static const char mark[] = "Cuda compilation tools, release ";
    char text[8] = "";

    while (!scan->code->compiler && find(scan, &at, end, mark, sizeof mark - 1) &&
           end - at > sizeof text && read_at(scan, text, sizeof text - 1, at))
        scan->code->compiler = cua_cuda_parse(text);
}

/* Wrappers name the containers, which lie apart: their heads, then the second entries are asked for
 * at once, for a disk that is as fast as many are under way. What wrappers say is a hint. */
static void ask_ahead(struct code_scan *scan, const GElf_Shdr *containers)
{
    const size_t all = scan->wrappers.sh_size, want = all < sizeof window ? all : sizeof window;
    const ssize_t count = pread(scan->fd, window, want, (off_t)scan->wrappers.sh_offset) / WRAPPER;
    struct fatbin_entry raw;
    uint64_t at;

    scan->wrappers.sh_size = 0; /* once a file: others say what they like */
    for (ssize_t i = 0; i < 2 * count; i++) {
        memcpy(&at, window + i % count * WRAPPER + 8, sizeof at);
        at += containers->sh_offset - containers->sh_addr + 16;
        if (i >= count && pread(scan->fd, &raw, sizeof raw, (off_t)at) == sizeof raw)
            at += raw.head + raw.bytes;
        posix_fadvise(scan->fd, (off_t)(at - 16), 16 + sizeof raw, POSIX_FADV_WILLNEED);
    }
}

static void scan_section(struct code_scan *scan, const GElf_Shdr *section, const char *name)
{
    const bool fatbin = strcmp(name, ".nv_fatbin") == 0;
    const unsigned long before = scan->code->entries;

    if (section->sh_type != SHT_PROGBITS || !section->sh_size ||
        (section->sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) != SHF_ALLOC ||
        cua_starts(name, ".eh_frame") || strcmp(name, ".gcc_except_table") == 0)
        return;
    if (strcmp(name, ".nvFatBinSegment") == 0)
        scan->wrappers = *section;
    else if (fatbin)
        ask_ahead(scan, section);
    scan_part(scan, section->sh_offset, section->sh_size, MOST_BETWEEN);
    if (fatbin && scan->code->entries == before)
        scan->code->trouble = "its GPU code has a form that is not known here";
    if (scan->compiler && !scan->code->trouble)
        find_release(scan, section->sh_offset, section->sh_offset + section->sh_size);
}

/* Names are read here: libelf would take all of them into memory, which may be most of the file. */
static void scan_elf(struct code_scan *scan, const GElf_Ehdr *header)
{
    const bool sane = header->e_shnum <= MOST_SECTIONS && header->e_phnum <= MOST_SEGMENTS;
    GElf_Shdr names = {0}, section;
    GElf_Phdr segment;

    elf_version(EV_CURRENT);
    Elf *elf = sane ? elf_begin(scan->fd, ELF_C_READ, NULL) : NULL;
    if (!elf)
        scan->code->trouble = damaged;
    if (header->e_shnum)
        gelf_getshdr(elf_getscn(elf, header->e_shstrndx), &names);
    /* The last first: wrappers lie behind their containers. */
    for (size_t i = names.sh_type == SHT_STRTAB ? header->e_shnum : 0; i-- > 0;) {
        char name[24] = "";
        if (gelf_getshdr(elf_getscn(elf, i), &section) && section.sh_name < names.sh_size &&
            read_at(scan, name, sizeof name - 1, names.sh_offset + section.sh_name)) {
            /* What device linking read, and made .nv_fatbin of. */
            scan->apart = header->e_type != ET_REL && !strcmp(name, "__nv_relfatbin");
            scan_section(scan, &section, name);
        }
    }
    for (int i = 0; names.sh_type != SHT_STRTAB && i < header->e_phnum; i++)
        if (gelf_getphdr(elf, i, &segment) && segment.p_type == PT_LOAD)
            scan_part(scan, segment.p_offset, segment.p_filesz, scan->size);
    elf_end(elf);
}

static void scan_ptx(struct code_scan *scan)
{
    struct cua_code_entry entry = {.kind = CUA_CODE_PTX, .packed = cua_code_packings};
    char text[8192 + 1] = "";
    unsigned major = 0, minor = 0;

    read_at(scan, text, sizeof text - 1, 0);
    const char *version = strstr(text, ".version");
    if (!version || sscanf(version, ".version %2u.%1u .target sm_%3u%1[af]", &major, &minor,
                           &entry.sm, entry.suffix) < 3)
        entry.kind = CUA_CODE_OTHER;
    entry.version = major * 10 + minor;
    take(scan, &entry);
}

/* The chip is the low byte of the flags, from the eighth version of the ABI on the next one. */
static void scan_cubin(struct code_scan *scan, const GElf_Ehdr *header)
{
    const bool later = header->e_ident[EI_ABIVERSION] >= 8;
    const unsigned flags = header->e_flags;
    const bool exact = flags & (later ? 0x8 : 0x800);

    take(scan, &(struct cua_code_entry){.kind = CUA_CODE_ELF,
                                        .packed = cua_code_packings,
                                        .sm = flags >> (later ? 8 : 0) & 0xff,
                                        .suffix = {exact ? 'a' : 0}});
}

void cua_code_scan(struct cua_code *code, int fd)
{
    static const char *const compilers[] = {"ptxas", "libnvrtc.so", "libnvvm.so", "libnvJitLink.so",
                                            "libnvidia-ptxjitcompiler.so"};
    static const char elf[] = ELFMAG "\2\1"; /* of 64 bits, little-endian */
    struct code_scan scan = {.code = code, .fd = fd};
    GElf_Ehdr header = {0};
    struct stat st;

    if (fd < 0)
        return;
    scan.size = cua_fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
    scan.left = 2 * scan.size;                  /* segments may share pages */
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM); /* what lies between headers stays unread */
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
        scan.compiler |= cua_starts(cua_basename(code->path), compilers[i]);
    read_at(&scan, &header, sizeof header, 0);
    if (cua_ends(code->path, ".ptx"))
        scan_ptx(&scan);
    else if (memcmp(&header, magic, sizeof magic) == 0)
        scan_part(&scan, 0, scan.size, scan.size);
    else if (memcmp(&header, elf, sizeof elf - 1) == 0 && header.e_type <= ET_DYN)
        (header.e_machine == EM_CUDA ? scan_cubin : scan_elf)(&scan, &header);
    else
        code->trouble = !code->named ? NULL
                        : memcmp(&header, "PK\3\4", 4) && memcmp(&header, "!<arch>\n", 8)
                            ? "neither ELF nor .fatbin, .cubin or .ptx"
                            : "an archive, as wheels are: unpack it and name the folder";
    end_module(&scan);
    end_file(&scan);
    close(fd);
}

void cua_code_target_of(struct cua_code_target *target, const struct cua_report *report,
                        const struct cua_umd *driver)
{
    const struct cua_facts *facts = &report->facts;
    char path[PATH_MAX];
    struct cua_code code = {.path = path, .target = target};

    *target = (struct cua_code_target){.cuda = driver ? driver->cuda : 0};
    for (size_t i = 0; i < facts->gpu_count; i++)
        if (facts->gpus[i].visible && facts->gpus[i].cc > target->cc)
            target->cc = facts->gpus[i].cc;
    /* By this name the driver asks for it. */
    if (driver &&
        cua_join(path, sizeof path, cua_umd_folder(driver, path), "libnvidia-ptxjitcompiler.so.1"))
        cua_code_scan(&code, cua_real_open(&report->subject, path));
    target->own = code.compiler;
    target->compiler = code.compiler ? code.compiler : target->cuda;
}
