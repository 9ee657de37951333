/* SPDX-License-Identifier: Apache-2.0 */
#include "identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elfread.h"
#include "note.h"
#include "text.h"

#define MAX_NOTES   (64u << 10)
#define MAX_SYMBOLS 65536u
#define MAX_NAMES   (4u << 20)
/* Real drivers have 10 to 30 MB. */
#define MAX_CONTENT (96u << 20)

/* In .rodata of every driver from 390 to 555, on both architectures, once:
 * "nvidia-application-profiles-550.163.01-rc". Plain versions are there too, of many drivers. */
#define VERSION_MARK "nvidia-application-profiles-"
/* A driver talks to the kernel by these; no other maker's libcuda does. */
#define DRIVER_MARK "/proc/driver/nvidia"
#define NODE_MARK   "/dev/nvidia"

/* What the symbol table tells. */
struct symbols {
    bool has_init;
    bool imports_ioctl, imports_dlopen;
    uint64_t init;
};

bool cua_identity_named(const char *file, struct cua_version *version)
{
    const char *text = cua_basename(file);
    size_t length = 0;

    if (cua_starts(text, "libcuda.so."))
        length = cua_version_parse(version, text + strlen("libcuda.so."));
    /* The first libcuda came with 100.14; libcuda.so.1.1 is Tegra's. */
    if (length && !text[strlen("libcuda.so.") + length] && version->part[0] >= 100)
        return true;
    memset(version, 0, sizeof *version);
    return false;
}

static void keep_build_id(struct cua_umd *umd, const unsigned char *id, size_t size)
{
    if (umd->build_id[0] || size * 2 >= sizeof umd->build_id)
        return;
    for (size_t i = 0; i < size; i++) {
        umd->build_id[i * 2] = "0123456789abcdef"[id[i] >> 4];
        umd->build_id[i * 2 + 1] = "0123456789abcdef"[id[i] & 15];
    }
    umd->build_id[size * 2] = 0;
}

static Elf_Data *note_data(const struct cua_elf *elf, uint64_t offset, uint64_t size,
                           uint64_t align)
{
    return size > MAX_NOTES
               ? NULL
               : cua_elf_data(elf, offset, size, align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
}

/* gelf_getnote checks each note against the end of the data. */
static void read_build_id(struct cua_umd *umd, Elf_Data *data)
{
    size_t at = 0, next, name, desc;
    GElf_Nhdr note;

    while (data && (next = gelf_getnote(data, at, &note, &name, &desc)) > at) {
        const char *bytes = data->d_buf;
        at = next;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof "GNU" &&
            memcmp(bytes + name, "GNU", sizeof "GNU") == 0)
            keep_build_id(umd, (const unsigned char *)bytes + desc, note.n_descsz);
    }
}

/* The bytes of notes are the file's: their decoding changes nothing where the order is ours. */
static void read_note(struct cua_umd *umd, const Elf_Data *data)
{
    if (data && !umd->note.present && !umd->note.trouble[0])
        cua_note_find(&umd->note, data->d_buf, data->d_size);
}

/* The one section by its name, for files whose note no segment covers. */
static void read_note_section(struct cua_umd *umd, const struct cua_elf *elf)
{
    char name[sizeof CUA_NOTE_SECTION];
    GElf_Shdr names, header;
    Elf_Scn *section = NULL;
    size_t index;

    if (elf_getshdrstrndx(elf->elf, &index) != 0 ||
        !gelf_getshdr(elf_getscn(elf->elf, index), &names))
        return;
    while ((section = elf_nextscn(elf->elf, section))) {
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE &&
            header.sh_name < names.sh_size &&
            cua_elf_bytes(elf, names.sh_offset + header.sh_name, name, sizeof name) &&
            memcmp(name, CUA_NOTE_SECTION, sizeof name) == 0)
            read_note(umd, note_data(elf, header.sh_offset, header.sh_size, header.sh_addralign));
    }
}

static void read_notes(struct cua_umd *umd, const struct cua_elf *elf)
{
    for (unsigned i = 0; i < elf->segments; i++) {
        const GElf_Phdr *s = &elf->segment[i];
        Elf_Data *data = NULL;
        if (s->p_type == PT_NOTE)
            data = note_data(elf, s->p_offset, s->p_filesz, s->p_align);
        read_build_id(umd, data);
        read_note(umd, data);
    }
    if (!umd->note.present && !umd->note.trouble[0])
        read_note_section(umd, elf);
}

/* How many symbols the GNU hash table reaches: the last of the longest chain. */
static uint64_t count_by_gnu_hash(const struct cua_elf *elf, uint64_t address)
{
    uint32_t head[4], words[64], last = 0, *bucket;
    uint64_t at, chain;

    if (!cua_elf_offset(elf, address, sizeof head, &at) ||
        !cua_elf_bytes(elf, at, head, sizeof head) || head[0] > MAX_SYMBOLS ||
        head[2] > MAX_SYMBOLS)
        return 0;
    at += sizeof head + head[2] * sizeof(uint64_t);
    chain = at + head[0] * sizeof *bucket;
    bucket = calloc(head[0] + 1, sizeof *bucket);
    if (bucket && cua_elf_bytes(elf, at, bucket, head[0] * sizeof *bucket)) {
        for (uint32_t i = 0; i < head[0]; i++)
            last = bucket[i] > last ? bucket[i] : last;
    }
    free(bucket);
    if (last < head[1])
        return head[1];
    /* The words of a chain end with the first odd one. */
    for (chain += (uint64_t)(last - head[1]) * sizeof words[0]; last <= MAX_SYMBOLS;
         chain += sizeof words) {
        uint64_t size = elf->size - chain < sizeof words ? elf->size - chain : sizeof words;
        if (chain >= elf->size || !cua_elf_bytes(elf, chain, words, size))
            return 0;
        for (size_t i = 0; i < size / sizeof words[0]; i++, last++) {
            if (words[i] & 1)
                return last + 1;
        }
    }
    return 0;
}

static uint64_t count_symbols(const struct cua_elf *elf)
{
    uint64_t address, at;
    uint32_t head[2];

    if (cua_elf_value(elf, DT_HASH, &address) && cua_elf_offset(elf, address, sizeof head, &at) &&
        cua_elf_bytes(elf, at, head, sizeof head))
        return head[1];
    return cua_elf_value(elf, DT_GNU_HASH, &address) ? count_by_gnu_hash(elf, address) : 0;
}

static bool read_symbols(struct cua_elf *elf, struct symbols *symbols)
{
    uint64_t count = count_symbols(elf), address, at;
    const char *names = cua_elf_names(elf, MAX_NAMES);
    Elf_Data *table;

    /* Behind a last NUL no name can run. */
    if (!count || count > MAX_SYMBOLS || !names || names[elf->strings_size - 1] ||
        !cua_elf_value(elf, DT_SYMTAB, &address) ||
        !cua_elf_offset(elf, address, count * sizeof(Elf64_Sym), &at))
        return false;
    table = cua_elf_data(elf, at, count * sizeof(Elf64_Sym), ELF_T_SYM);
    if (!table)
        return false;
    for (int i = 1; i < (int)count; i++) {
        const char *name;
        GElf_Sym symbol;
        if (!gelf_getsym(table, i, &symbol) || symbol.st_name >= elf->strings_size)
            return false;
        name = names + symbol.st_name;
        if (symbol.st_shndx == SHN_UNDEF) {
            symbols->imports_ioctl |= strcmp(name, "ioctl") == 0;
            symbols->imports_dlopen |= strcmp(name, "dlopen") == 0;
        } else if (strcmp(name, "cuInit") == 0) {
            symbols->has_init = true;
            symbols->init = symbol.st_value;
        }
    }
    return true;
}

/* A link stub's functions do nothing but return 34, CUDA_ERROR_STUB_LIBRARY. */
static bool answers_stub(const struct cua_elf *elf, uint64_t address)
{
    static const unsigned char returns_34[][4] = {
        {0xb8, 0x22, 0, 0},       /* x86_64: mov $0x22,%eax */
        {0x40, 0x04, 0x80, 0x52}, /* aarch64: mov w0, #0x22 */
    };
    unsigned char code[16];
    size_t size = sizeof code;
    uint64_t at;

    while (size > 4 && !cua_elf_offset(elf, address, size, &at))
        size--;
    if (!cua_elf_offset(elf, address, size, &at) || !cua_elf_bytes(elf, at, code, size))
        return false;
    return memmem(code, size, returns_34[0], 4) || memmem(code, size, returns_34[1], 4);
}

/* What a part of the file's content tells, behind which a NUL stands. */
struct content {
    bool driver;
    bool ambiguous;
    struct cua_version version;
};

static void search_part(struct content *content, const char *text, size_t size)
{
    const char *mark = text;

    content->driver = content->driver || memmem(text, size, DRIVER_MARK, strlen(DRIVER_MARK)) ||
                      memmem(text, size, NODE_MARK, strlen(NODE_MARK));
    while (
        (mark = memmem(mark, size - (size_t)(mark - text), VERSION_MARK, strlen(VERSION_MARK)))) {
        struct cua_version found;
        mark += strlen(VERSION_MARK);
        if (!cua_version_parse(&found, mark) || found.part[0] < 100 ||
            (size_t)(mark - text) + CUA_VERSION_TEXT > size)
            continue;
        content->ambiguous |= cua_version_known(&content->version) &&
                              cua_version_compare(&content->version, &found) != 0;
        content->version = found;
        content->driver = true;
    }
}

/* Reads the whole file: only where name and symbols leave it open who it is. */
static void search_content(const struct cua_elf *elf, struct content *content)
{
    enum { CHUNK = 256 << 10, KEEP = 64 };
    char *buf = elf->image ? NULL : malloc(KEEP + CHUNK + 1);
    uint64_t end = elf->size < MAX_CONTENT ? elf->size : MAX_CONTENT;
    size_t kept = 0;

    if (elf->image)
        search_part(content, elf->image, elf->size);
    for (uint64_t at = 0; buf && at < end;) {
        size_t n = end - at < CHUNK ? (size_t)(end - at) : CHUNK, size = kept + n;
        if (!cua_elf_bytes(elf, at, buf + kept, n))
            break;
        at += n;
        buf[size] = 0;
        search_part(content, buf, size);
        kept = size < KEEP ? size : KEEP;
        memmove(buf, buf + size - kept, kept);
    }
    if (content->ambiguous)
        memset(&content->version, 0, sizeof content->version);
    free(buf);
}

static void refuse(struct cua_umd *umd, enum cua_umd_state state, const char *why)
{
    umd->state = state;
    snprintf(umd->trouble, sizeof umd->trouble, "%s", why);
}

static bool in_folder(const struct cua_umd *umd, const char *name)
{
    char folder[PATH_MAX];

    return strcmp(cua_basename(cua_umd_folder(umd, folder)), name) == 0;
}

static void find_version(struct cua_umd *umd, const struct cua_elf *elf,
                         const struct symbols *symbols)
{
    bool driver = symbols->imports_ioctl && cua_version_known(&umd->version);
    struct content content = {0};

    driver = driver || umd->note.present || umd->tegra;
    if (driver && cua_version_known(&umd->version))
        return;
    /* WSL's is a small front for the one in the driver store. */
    content.driver = driver || cua_below(umd->path, "/usr/lib/wsl");
    search_content(elf, &content);
    if (!cua_version_known(&umd->version) && cua_version_known(&content.version) && !umd->tegra) {
        umd->version = content.version;
        umd->version_from_content = true;
    }
    if (!content.driver)
        refuse(umd, CUA_UMD_FOREIGN, "exports cuInit, but knows nothing of NVIDIA's kernel driver");
}

static void read_library(struct cua_umd *umd, struct cua_elf *elf)
{
    struct symbols symbols = {0};
    char soname[64] = "";
    uint64_t at;

    if (!read_symbols(elf, &symbols)) {
        refuse(umd, CUA_UMD_DAMAGED, "its symbol table is damaged");
        return;
    }
    if (!symbols.has_init) {
        refuse(umd, CUA_UMD_DAMAGED, "no libcuda: it does not export cuInit");
        return;
    }
    if (cua_elf_value(elf, DT_SONAME, &at))
        cua_elf_string(elf, at, soname, sizeof soname);
    umd->tegra = umd->tegra || strcmp(soname, "libcuda.so.1.1") == 0;
    read_notes(umd, elf);
    if (!symbols.imports_ioctl &&
        ((!symbols.imports_dlopen && answers_stub(elf, symbols.init)) || in_folder(umd, "stubs")))
        refuse(umd, CUA_UMD_STUB, "a link stub: every call answers 34");
    else
        find_version(umd, elf, &symbols);
}

static void find_sibling(const struct cua_elf *elf, char *needs, size_t size)
{
    for (unsigned i = 0; i < elf->entries; i++) {
        if (elf->entry[i].d_tag == DT_NEEDED &&
            cua_elf_string(elf, elf->entry[i].d_un.d_val, needs, size) &&
            cua_starts(needs, "libnvidia-"))
            return;
    }
    needs[0] = 0;
}

void cua_identity_read(struct cua_umd *umd, int fd, unsigned machine, char *needs, size_t size)
{
    const char *trouble;
    struct cua_elf elf;

    needs[0] = 0;
    umd->state = CUA_UMD_USABLE;
    umd->trouble[0] = 0;
    cua_identity_named(umd->real, &umd->version);
    umd->tegra = strcmp(cua_basename(umd->real), "libcuda.so.1.1") == 0 || in_folder(umd, "tegra");
    switch (cua_elf_open(&elf, fd, machine, &trouble)) {
    case CUA_ELF_FINE:
        read_library(umd, &elf);
        find_sibling(&elf, needs, size);
        cua_elf_close(&elf);
        break;
    case CUA_ELF_OTHER:
        refuse(umd, CUA_UMD_ARCH, "built for another architecture");
        break;
    case CUA_ELF_DAMAGED:
        refuse(umd, CUA_UMD_DAMAGED, trouble);
        break;
    }
}
