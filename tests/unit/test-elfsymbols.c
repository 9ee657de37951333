/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols of a file that is made here, with either hash table and its names anywhere. */
#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/symbols.h"
#include "elf/file.h"

#define BORDER 4096 /* at which the string table is read in pieces */
#define NAMES  (3 * BORDER)

struct library {
    Elf64_Ehdr header;
    Elf64_Phdr segment[2];
    Elf64_Dyn entry[6];
    Elf64_Sym symbol[4];
    union {
        struct {
            uint32_t buckets, first, words, shift;
            uint64_t bloom;
            uint32_t bucket, chain[2];
        } gnu;
        uint32_t sysv[8];
    } hash;
    char name[NAMES];
};

static struct library library;
static uint64_t length;

static uint32_t gnu_hash(const char *name)
{
    uint32_t hash = 5381;

    while (*name)
        hash = hash * 33 + (unsigned char)*name++;
    return hash;
}

static void put(unsigned symbol, const char *name, uint32_t at, uint16_t section)
{
    library.symbol[symbol].st_name = at;
    library.symbol[symbol].st_shndx = section;
    memcpy(library.name + at, name, strlen(name) + 1);
}

/* Imports "ioctl" and "dlopen" and offers "cuInit", whose names begin there. */
static void make(bool gnu, uint32_t ioctl, uint32_t dlopen, uint32_t init, uint64_t names)
{
    const Elf64_Dyn entries[] = {
        {DT_STRTAB, {offsetof(struct library, name)}},
        {DT_STRSZ, {names}},
        {DT_SYMTAB, {offsetof(struct library, symbol)}},
        {gnu ? DT_GNU_HASH : DT_HASH, {offsetof(struct library, hash)}},
    };

    memset(&library, 0, sizeof library);
    memset(library.name + 1, 'x', NAMES - 1);
    memcpy(library.header.e_ident, "\177ELF\2\1\1", 7);
    library.header.e_type = ET_DYN;
    library.header.e_machine = EM_X86_64;
    library.header.e_version = EV_CURRENT;
    library.header.e_ehsize = sizeof library.header;
    library.header.e_phoff = offsetof(struct library, segment);
    library.header.e_phentsize = sizeof *library.segment;
    library.header.e_phnum = 2;
    length = offsetof(struct library, name) + names;
    library.segment[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_filesz = length, .p_memsz = length};
    library.segment[1] = (Elf64_Phdr){.p_type = PT_DYNAMIC,
                                      .p_offset = offsetof(struct library, entry),
                                      .p_filesz = sizeof library.entry};
    memcpy(library.entry, entries, sizeof entries);
    put(1, "ioctl", ioctl, SHN_UNDEF);
    put(2, "dlopen", dlopen, SHN_UNDEF);
    put(3, "cuInit", init, 1);
    library.symbol[3].st_value = 42;
    if (gnu) {
        library.hash.gnu.buckets = library.hash.gnu.words = 1;
        library.hash.gnu.first = library.hash.gnu.bucket = 3;
        library.hash.gnu.chain[0] = gnu_hash("cuInit") | 1;
    } else {
        library.hash.sysv[0] = 1;
        library.hash.sysv[1] = 4;
    }
}

/* "idc" of those that are found, capital where they are not; "" where the file is refused. */
static const char *look(void)
{
    static char found[4];
    struct cua_elf_symbol wanted[] = {
        {.name = "ioctl", .imported = true},
        {.name = "dlopen", .imported = true},
        {.name = "cuInit"},
    };
    int fd = memfd_create("library", 0);
    struct cua_elf elf;

    found[0] = 0;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, &library, length), length);
    assert_int_equal(cua_elf_open(&elf, fd, NULL, EM_NONE), CUA_ELF_FINE);
    if (cua_elf_symbols(&elf, wanted, 3)) {
        found[0] = wanted[0].found ? 'i' : 'I';
        found[1] = wanted[1].found ? 'd' : 'D';
        found[2] = wanted[2].found && wanted[2].value == 42 ? 'c' : 'C';
    }
    cua_elf_close(&elf);
    return found;
}

static void finds_names_wherever_they_stand(void **state)
{
    (void)state;
    for (int gnu = 0; gnu < 2; gnu++) {
        for (uint32_t at = BORDER - 70; at < BORDER + 4; at++) {
            make(gnu, at, 2 * BORDER, 16, NAMES);
            library.name[NAMES - 1] = 0;
            assert_string_equal(look(), "idc");
            make(gnu, 2 * BORDER, 16, at, at + sizeof "cuInit");
            library.symbol[1].st_name = 32;
            assert_string_equal(look(), "Idc");
        }
    }
}

static void lets_no_name_run_over_the_end(void **state)
{
    (void)state;
    make(true, 16, 32, 48, 48 + strlen("cuInit"));
    assert_string_equal(look(), "");
    make(false, 16, 32, 48, 48 + strlen("cuInit"));
    assert_string_equal(look(), "");
    make(false, 16, 32, 48, 48);
    assert_string_equal(look(), "");
    make(true, 16, 32, 48, 48);
    assert_string_equal(look(), "");
}

static void bears_damaged_hash_tables(void **state)
{
    static const struct {
        bool gnu;
        uint32_t *field, value;
        const char *found;
    } cases[] = {
        {true, &library.hash.gnu.buckets, 0, "idC"},
        {true, &library.hash.gnu.buckets, UINT32_MAX, ""},
        {true, &library.hash.gnu.first, 0, "IDC"},
        {true, &library.hash.gnu.first, 4, ""},
        {true, &library.hash.gnu.first, UINT32_MAX, ""},
        {true, &library.hash.gnu.words, 65536, ""},
        {true, &library.hash.gnu.words, UINT32_MAX, ""},
        {true, &library.hash.gnu.bucket, 0, "idC"},
        {true, &library.hash.gnu.bucket, 2, ""},
        {true, &library.hash.gnu.bucket, 16383, ""},
        {true, &library.hash.gnu.bucket, UINT32_MAX, "idC"},
        {false, &library.hash.sysv[1], 0, "IDC"},
        {false, &library.hash.sysv[1], 3, "idC"},
        {false, &library.hash.sysv[1], 65536, ""},
        {false, &library.hash.sysv[1], UINT32_MAX, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make(cases[i].gnu, 16, 32, 48, BORDER);
        library.name[BORDER - 1] = 0;
        *cases[i].field = cases[i].value;
        assert_string_equal(look(), cases[i].found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_names_wherever_they_stand),
        cmocka_unit_test(lets_no_name_run_over_the_end),
        cmocka_unit_test(bears_damaged_hash_tables),
    };
    return cmocka_run_group_tests_name("elfsymbols", tests, NULL, NULL);
}
