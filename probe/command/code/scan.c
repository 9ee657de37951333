/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the entries of GPU code, in the sections of an ELF file or in a separate .fatbin, .cubin or
 * .ptx, and passes them to judge.c. Most entries lie in containers ("fat binaries"): each has
 * variants of the same code, with headers that show which GPU they are for. Payloads are not
 * unpacked, and are read as little as possible. The input is not trusted: lengths are checked, and
 * the work is bounded.
 *
 * The layout of containers, as nvcc and fatbinary write them, is not documented. It is known from
 * files written by fatbinary 13.0. For other files, tests/code/real.py compares the results with
 * those of cuobjdump. */
#include "command/code/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "base/version.h"
#include "command/code/judge.h"
#include "command/code/runtime.h"

#define MOST_SECTIONS 16384u
#define MOST_SEGMENTS 256u
#define MOST_HEAD     (64u << 10)
#define LEAST_PTX     96   /* shorter PTX has only .version, .target and .address_size */
#define LEAST_ELF     1024 /* a shorter binary has headers but no section for a kernel */
#define FLAG_EXACT    0x100000u
#define FLAG_FAMILY   0x200000u
#define FLAG_LONGER   0x1000000u /* the header is longer than struct fatbin_entry */
/* An entry with any other flag counts as CUA_CODE_OTHER. Only the flag of its packing
 * (cua_code_packings) is allowed, too. The flags without a name here are word size, host, debugging
 * (the lowest bit) and LTO. */
#define FLAGS_KNOWN (0xfffu | FLAG_EXACT | FLAG_FAMILY | FLAG_LONGER | 0x10000u)

/* How many bytes of a section are searched for the next container. If these bytes contain none, the
 * rest of the section is left out, because data sections may have hundreds of MB without a
 * container. The most that was seen before a container is 11 MB, in libcufft. */
#define MOST_BETWEEN (16u << 20)

/* If a part of the file has at least FEW containers, and on average one begins every CLOSE bytes or
 * less, the next AHEAD bytes are requested in advance (read_on). */
#define FEW   32u
#define CLOSE (64u << 10)
#define AHEAD (8u << 20)

/* ask_maker looks up the compiler's release in at most this many binaries of a file. */
#define MOST_ASKED 8

static const char damaged[] = "its ELF headers are damaged";
static const char cut_off[] = "it is truncated or damaged: its headers lie beyond its end";
static const char cut_part[] = "it is truncated, or its headers are damaged";
/* The beginning of a container: 0xBA55ED50, version 1, header size 16. Eight bytes with the size of
 * the rest of the container follow. */
static const unsigned char magic[8] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
static const char release[] = "Cuda compilation tools, release ";

struct fatbin_entry {
    uint16_t kind, unused;
    uint32_t head;  /* size of this header and of everything else before the payload */
    uint64_t bytes; /* size of the payload */
    uint32_t packed, unused2;
    uint16_t minor, major;
    uint32_t sm, name_at, name_size;
    uint64_t flags, unused3, unpacked;
};
_Static_assert(sizeof(struct fatbin_entry) == 64, "as in the file");

/* The section .nvFatBinSegment is an array of these. Each points to a container in .nv_fatbin. If
 * `version` is 2, device linking made that container. */
struct wrapper {
    uint32_t magic, version;
    uint64_t address, more;
};

struct code_scan {
    struct cua_code *code;
    struct cua_code_module module;
    int fd;
    bool compiler; /* the file's name is that of a compiler */
    bool linked;   /* the file still contains the input of device linking */
    bool search;   /* find() also looks for the release text of a compiler (find_mark) */
    /* `size`: of the file. `left`: how many bytes of sections may still be read. This bounds the
     * work for a damaged file, whose sections may overlap. */
    uint64_t size, left;
    GElf_Shdr wrappers; /* header of .nvFatBinSegment; sh_size 0: not found yet, or used up */
    uint64_t *links;    /* file offsets of containers made by device linking, ascending; owned */
    size_t link_count;
    unsigned made_by; /* the newest CUDA whose tools made code that a runtime registers; 0: none */
    unsigned asked;   /* number of binaries in which the compiler's release was looked up */
};

static char window[256 * 16 * 16 * 16];

/* Reads `size` bytes, or fewer if the file ends before. False on failure; code->trouble is set. */
static bool read_at(const struct code_scan *scan, void *to, size_t size, uint64_t at)
{
    const ssize_t got = pread(scan->fd, to, size, (off_t)at);

    if (got == (ssize_t)size || (got >= 0 && at + (uint64_t)got >= scan->size))
        return true;
    scan->code->trouble = "it cannot be read to its end";
    return false;
}

static unsigned release_at(const char *text, size_t have)
{
    char version[8] = "";

    memcpy(version, text, have < sizeof version - 1 ? have : sizeof version - 1);
    return cua_cuda_parse(version);
}

/* Looks for a text such as "Cuda compilation tools, release 12.9, V12.9.86", which every compiler
 * of NVIDIA's contains, and sets code->compiler by it. Two similar texts do not count. One has %d
 * instead of the release. The other is the note in a GPU binary, where "ptxas" or "nvlink" comes
 * before the text. */
static void find_mark(struct code_scan *scan, const char *text, size_t have)
{
    const size_t length = sizeof release - 1;

    for (const char *at = text, *found; !scan->code->compiler; at = found + length) {
        found = memmem(at, have - (size_t)(at - text), release, length);
        if (!found)
            return;
        const size_t before = (size_t)(found - text), rest = have - before - length;
        if ((before >= 6 && !memcmp(found - 6, "ptxas", 6)) ||
            (before >= 7 && !memcmp(found - 7, "nvlink", 7)))
            continue;
        scan->code->compiler = release_at(found + length, rest);
        scan->code->writes_ptx = scan->code->compiler != 0;
    }
}

/* The first offset from `at` on that does not lie in a hole, at most `end`; sparse files may have
 * holes of hundreds of GB. */
static uint64_t behind_hole(const struct code_scan *scan, uint64_t at, uint64_t end)
{
    const off_t data = lseek(scan->fd, (off_t)at, SEEK_DATA);

    if (data < 0)
        return errno == ENXIO ? end : at;
    return (uint64_t)data < end ? (uint64_t)data : end;
}

/* Moves *at behind the next occurrence of these bytes in [*at, end). False: there is none, or
 * reading failed. The bytes usually begin at *at, so the first read is small. Each further read is
 * 16 times as large, up to the whole window. From then on holes are skipped, and the next window is
 * requested in advance. */
static bool find(struct code_scan *scan, uint64_t *at, uint64_t end, const void *bytes, size_t size)
{
    size_t want = 256;

    for (; *at < end && end - *at >= size; want *= want < sizeof window ? 16 : 1) {
        if (want == sizeof window) {
            const uint64_t data = behind_hole(scan, *at + size - 1, end) - (size - 1);
            *at = data > *at ? data : *at;
            if (end - *at < size)
                break;
        }
        const size_t have = end - *at < want ? (size_t)(end - *at) : want;
        if (want == sizeof window && have < end - *at)
            posix_fadvise(scan->fd, (off_t)(*at + have), sizeof window, POSIX_FADV_WILLNEED);
        if (!read_at(scan, window, have, *at))
            return false;
        const char *found = memmem(window, have, bytes, size);
        if (scan->search)
            find_mark(scan, window, found ? (size_t)(found - window) : have);
        *at += found ? (size_t)(found - window) + size : have - (size - 1);
        if (found)
            return true;
    }
    return false;
}

/* Updates made_by, the latest CUDA whose tools made code that a runtime registers. Modules that the
 * program itself loads do not count. The version of PTX shows its CUDA. In the entry of a binary,
 * minor version 8 means 12.8 or later. More exact is the compiler's text "release X.Y" near the
 * beginning of the payload. LZ4 packing leaves it readable. */
static void ask_maker(struct code_scan *scan, const struct fatbin_entry *raw, uint64_t at)
{
    char text[2048];
    unsigned cuda = 0;

    if (scan->module.owner == CUA_OWNER_PROGRAM)
        return;
    if (raw->kind == CUA_CODE_PTX)
        cuda = cua_code_maker(raw->major * 10u + raw->minor);
    else if (raw->kind == CUA_CODE_ELF && raw->minor >= 8)
        cuda = 12080;
    if (raw->kind == CUA_CODE_ELF && raw->flags & FLAG_LONGER && scan->asked++ < MOST_ASKED) {
        const ssize_t got = pread(scan->fd, text, sizeof text, (off_t)(at + raw->head));
        const char *found = got > 0 ? memmem(text, (size_t)got, "release ", 8) : NULL;
        const unsigned named =
            found ? release_at(found + 8, (size_t)(text + got - (found + 8))) : 0;
        cuda = named > cuda ? named : cuda;
    }
    scan->made_by = cuda > scan->made_by ? cuda : scan->made_by;
}

/* Adds an entry to the module. An entry of kind 0 is left out. Returns false if the entry's lengths
 * are wrong, for example more than the `room` bytes that are left in the container. Such an entry
 * is added as CUA_CODE_OTHER, whatever its kind, and the caller skips the rest of the container. */
static bool take_raw(struct code_scan *scan, const struct fatbin_entry *raw, uint64_t at,
                     uint64_t room)
{
    const bool sound = raw->head >= sizeof *raw && raw->head <= MOST_HEAD && raw->head <= room &&
                       raw->bytes <= room - raw->head;
    const struct cua_code_packing *row = cua_code_packings;
    struct cua_code_entry entry = {.sm = raw->sm, .packed = row + (raw->packed != 0)};
    const uint64_t bytes = raw->packed ? raw->unpacked : raw->bytes;

    for (; row->name; row++)
        if (raw->flags & row->flag)
            entry.packed = row;
    if (raw->flags & (FLAG_EXACT | FLAG_FAMILY))
        entry.suffix[0] = raw->flags & FLAG_EXACT ? 'a' : 'f';
    if (sound && !(raw->flags & ~(uint64_t)(FLAGS_KNOWN | entry.packed->flag)) &&
        (raw->kind == CUA_CODE_PTX || raw->kind == CUA_CODE_ELF || raw->kind == CUA_CODE_LTO))
        entry.kind = raw->kind;
    if (entry.kind == CUA_CODE_PTX)
        entry.version = raw->major * 10u + raw->minor;
    entry.empty = (entry.kind == CUA_CODE_PTX && bytes < LEAST_PTX) ||
                  (entry.kind == CUA_CODE_ELF && bytes && bytes < LEAST_ELF);
    if (raw->kind || !sound)
        cua_code_take(&scan->module, &entry);
    if (entry.kind != CUA_CODE_OTHER && !entry.empty)
        ask_maker(scan, raw, at);
    return sound;
}

static bool is_link(const struct code_scan *scan, uint64_t at)
{
    for (size_t low = 0, high = scan->link_count; low < high;) {
        const size_t middle = (low + high) / 2;
        if (scan->links[middle] == at)
            return true;
        if (scan->links[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Requests the next bytes of the file in advance: about AHEAD bytes from `at` on, or fewer if `end`
 * comes first. *asked: the offset up to which bytes have been requested already. Called where
 * containers are small and lie close together, as in libcufft: there a page of each container would
 * be read anyway. */
static void read_on(const struct code_scan *scan, uint64_t at, uint64_t end, uint64_t *asked)
{
    for (*asked = *asked > at ? *asked : at; *asked < end && *asked < at + AHEAD;
         *asked += sizeof window)
        posix_fadvise(scan->fd, (off_t)*asked, sizeof window, POSIX_FADV_WILLNEED);
}

/* Reads the containers in a part of the file (a section, a segment, or all of it), until `between`
 * bytes contain none. Each container is a module. A container that would end behind the part does
 * not count. */
static void scan_part(struct code_scan *scan, uint64_t at, uint64_t size, uint64_t between,
                      enum cua_code_owner owner)
{
    const uint64_t from = at, end = at + size;
    struct fatbin_entry raw;
    uint64_t bytes, asked = 0, count = 0;

    if (at > scan->size || size > scan->size - at || size > scan->left) {
        scan->code->trouble = scan->code->trouble ? scan->code->trouble : cut_part;
        return;
    }
    scan->left -= size;
    while (find(scan, &at, end - at > between ? at + between : end, magic, sizeof magic) &&
           end - at >= sizeof bytes && read_at(scan, &bytes, sizeof bytes, at)) {
        const bool link = owner == CUA_OWNER_RUNTIME && is_link(scan, at - sizeof magic);
        scan->module.owner = link ? CUA_OWNER_LINK : owner;
        at += sizeof bytes;
        if (bytes > end - at) /* only looks like a container, or is cut off */
            continue;
        const uint64_t next = at + bytes;
        while (next - at >= sizeof raw && read_at(scan, &raw, sizeof raw, at) &&
               take_raw(scan, &raw, at, next - at))
            at += raw.head + raw.bytes;
        cua_code_end_module(&scan->module);
        at = next;
        if (++count >= FEW && (at - from) / count < CLOSE)
            read_on(scan, at, end, &asked);
    }
}

/* Looks for the release of a compiler in the file from `at` to `end`, and sets code->compiler by
 * it. Called if the file's name is that of a compiler. */
static void find_release(struct code_scan *scan, uint64_t at, uint64_t end)
{
    char text[8] = "";

    while (!scan->code->compiler && find(scan, &at, end, release, sizeof release - 1) &&
           end - at > sizeof text && read_at(scan, text, sizeof text - 1, at))
        scan->code->compiler = cua_cuda_parse(text);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;

    return (*left > *right) - (*left < *right);
}

/* Reads the wrappers, which show where the containers are, and collects in scan->links the
 * containers that device linking made. Requests the headers of all containers at once, and then
 * those of their second entries, because a disk is faster if it has many requests. Wrong addresses
 * only cost time. */
static void ask_ahead(struct code_scan *scan, const GElf_Shdr *containers)
{
    const size_t all = scan->wrappers.sh_size, want = all < sizeof window ? all : sizeof window;
    const ssize_t got = pread(scan->fd, window, want, (off_t)scan->wrappers.sh_offset);
    const size_t count = got > 0 ? (size_t)got / sizeof(struct wrapper) : 0;
    struct wrapper wrapper;
    struct fatbin_entry raw;

    scan->wrappers.sh_size = 0; /* do not use it for another .nv_fatbin */
    free(scan->links);
    scan->links = count ? malloc(count * sizeof *scan->links) : NULL;
    scan->link_count = 0;
    for (size_t i = 0; i < 2 * count; i++) {
        memcpy(&wrapper, window + i % count * sizeof wrapper, sizeof wrapper);
        uint64_t at = wrapper.address + containers->sh_offset - containers->sh_addr;
        if (i < count && wrapper.version == 2 && scan->links)
            scan->links[scan->link_count++] = at;
        at += 16;
        if (i >= count && pread(scan->fd, &raw, sizeof raw, (off_t)at) == sizeof raw)
            at += raw.head + raw.bytes;
        posix_fadvise(scan->fd, (off_t)(at - 16), 16 + sizeof raw, POSIX_FADV_WILLNEED);
    }
    if (scan->links)
        qsort(scan->links, scan->link_count, sizeof *scan->links, by_number);
}

static void scan_section(struct code_scan *scan, const GElf_Ehdr *header, const GElf_Shdr *section,
                         const char *name)
{
    const bool fatbin = strcmp(name, ".nv_fatbin") == 0;
    const bool linked = header->e_type != ET_REL && strcmp(name, "__nv_relfatbin") == 0;
    const unsigned long before = scan->code->entries;

    if (section->sh_type != SHT_PROGBITS || !section->sh_size ||
        (section->sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) != SHF_ALLOC ||
        cua_starts(name, ".eh_frame") || strcmp(name, ".gcc_except_table") == 0)
        return;
    if (strcmp(name, ".nvFatBinSegment") == 0)
        scan->wrappers = *section;
    else if (fatbin)
        ask_ahead(scan, section);
    scan->search = !fatbin && !linked && !scan->compiler;
    scan_part(scan, section->sh_offset, section->sh_size, MOST_BETWEEN,
              linked                              ? CUA_OWNER_LINKED
              : !fatbin                           ? CUA_OWNER_PROGRAM
              : scan->linked && !scan->link_count ? CUA_OWNER_LINK
                                                  : CUA_OWNER_RUNTIME);
    scan->search = false;
    if (fatbin && scan->code->entries == before && !scan->code->trouble)
        scan->code->trouble = "its GPU code has a format that cuarbiter does not know";
    scan->code->registers |= fatbin;
    if (scan->compiler && !scan->code->trouble)
        find_release(scan, section->sh_offset, section->sh_offset + section->sh_size);
}

static void scan_sections(struct code_scan *scan, const GElf_Ehdr *header, Elf *elf,
                          const GElf_Shdr *names)
{
    static const char linked[] = "__nv_relfatbin";
    GElf_Shdr section;

    /* Two rounds, each from the last section to the first. Round 1 only looks for input of device
     * linking. Round 2 needs the wrappers before the containers, but in the file the containers
     * come first. */
    for (size_t i = 2 * (size_t)header->e_shnum; i-- > 0;) {
        char name[24] = "";
        if (!gelf_getshdr(elf_getscn(elf, i % header->e_shnum), &section) ||
            section.sh_name >= names->sh_size ||
            !read_at(scan, name, sizeof name - 1, names->sh_offset + section.sh_name))
            continue;
        if (i >= header->e_shnum)
            scan->linked |= header->e_type != ET_REL && strcmp(name, linked) == 0;
        else
            scan_section(scan, header, &section, name);
    }
}

static bool lacks_headers(const struct code_scan *scan, const GElf_Ehdr *header)
{
    const uint64_t size = scan->size;

    return size < sizeof *header || header->e_shoff > size ||
           header->e_shnum * sizeof(Elf64_Shdr) > size - header->e_shoff ||
           header->e_phoff > size || header->e_phnum * sizeof(Elf64_Phdr) > size - header->e_phoff;
}

/* Scans the sections of an ELF file or, if they have no names, its PT_LOAD segments. Reads each
 * section's name itself: libelf would load all names into memory, and they may be most of the
 * file. */
static void scan_elf(struct code_scan *scan, const GElf_Ehdr *header)
{
    const bool sane = header->e_shnum <= MOST_SECTIONS && header->e_phnum <= MOST_SEGMENTS;
    struct cua_code *code = scan->code;
    GElf_Shdr names = {0};
    GElf_Phdr segment;

    elf_version(EV_CURRENT);
    Elf *elf = sane ? elf_begin(scan->fd, ELF_C_READ, NULL) : NULL;
    if (!elf)
        code->trouble =
            sane ? damaged : "it has more ELF sections or segments than cuarbiter reads";
    else if (lacks_headers(scan, header))
        code->trouble = cut_off;
    if (header->e_shnum)
        gelf_getshdr(elf_getscn(elf, header->e_shstrndx), &names);
    if (names.sh_type == SHT_STRTAB)
        scan_sections(scan, header, elf, &names);
    for (int i = 0; names.sh_type != SHT_STRTAB && i < header->e_phnum; i++)
        if (gelf_getphdr(elf, i, &segment) && segment.p_type == PT_LOAD)
            scan_part(scan, segment.p_offset, segment.p_filesz, scan->size, CUA_OWNER_PROGRAM);
    elf_end(elf);
    cua_code_runtime(code, scan->fd, scan->made_by);
    free(scan->links);
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
    cua_code_take(&scan->module, &entry);
}

/* Scans a cubin. The low byte of e_flags is the chip's capability; from version 8 of the ABI
 * (EI_ABIVERSION) on it is the next byte. */
static void scan_cubin(struct code_scan *scan, const GElf_Ehdr *header)
{
    const bool later = header->e_ident[EI_ABIVERSION] >= 8;
    const unsigned flags = header->e_flags;
    const bool exact = flags & (later ? 0x8 : 0x800);

    if (lacks_headers(scan, header))
        scan->code->trouble = cut_off;
    cua_code_take(&scan->module, &(struct cua_code_entry){.kind = CUA_CODE_ELF,
                                                          .packed = cua_code_packings,
                                                          .sm = flags >> (later ? 8 : 0) & 0xff,
                                                          .suffix = {exact ? 'a' : 0}});
}

static void scan_file(struct code_scan *scan)
{
    static const char elf[] = ELFMAG "\2\1"; /* 64 bits, little-endian */
    struct cua_code *code = scan->code;
    GElf_Ehdr header = {0};
    struct stat st;
    uint64_t rest;

    scan->size = cua_fstat(scan->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
    scan->left = 2 * scan->size; /* twice, in case the segments of a sound file overlap */
    /* Keep the kernel from reading ahead: mostly headers are needed. */
    posix_fadvise(scan->fd, 0, 0, POSIX_FADV_RANDOM);
    scan->compiler = cua_code_is_compiler(cua_basename(code->path), &code->writes_ptx);
    read_at(scan, &header, sizeof header, 0);
    memcpy(&rest, (char *)&header + sizeof magic, sizeof rest);
    if (cua_ends(code->path, ".ptx"))
        scan_ptx(scan);
    else if (memcmp(&header, magic, sizeof magic) == 0 &&
             (scan->size < 16 || rest > scan->size - 16))
        code->trouble = "it is truncated: by its header, the GPU code is longer than the file";
    else if (memcmp(&header, magic, sizeof magic) == 0)
        scan_part(scan, 0, scan->size, scan->size, CUA_OWNER_PROGRAM);
    else if (memcmp(&header, elf, sizeof elf - 1) == 0 && header.e_type <= ET_DYN)
        (header.e_machine == EM_CUDA ? scan_cubin : scan_elf)(scan, &header);
    else
        code->trouble = code->named ? "neither ELF nor .fatbin, .cubin or .ptx" : NULL;
    cua_code_end_module(&scan->module);
}

bool cua_code_scan(struct cua_code *code, int fd)
{
    struct code_scan scan = {.code = code, .fd = fd};
    const bool begun = cua_code_begin(&scan.module, code);

    if (begun && fd >= 0)
        scan_file(&scan);
    if (begun)
        cua_code_end_file(&scan.module);
    if (fd >= 0)
        close(fd);
    return begun;
}
