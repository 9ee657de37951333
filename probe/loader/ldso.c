/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the dynamic loader of a subject. ldso.h explains the terms. */
#include "loader/ldso.h"

#include <elf.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include "elf/file.h"
#include "base/text.h"
#include "base/version.h"
#include "loader/mapped.h"
#include "loader/prefix.h"
#include "machine/asker.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* A known place of libc.so.6. In a distribution that has libc in this place, $LIB has the value
 * `lib`, and ld.so has the default folders `folders` built in. */
struct layout {
    unsigned machine;
    const char *libc;
    const char *lib;
    const char *folders[5];
};

static const struct layout layouts[] = {
    {EM_X86_64,
     "/lib/x86_64-linux-gnu/libc.so.6",
     "lib/x86_64-linux-gnu",
     {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib"}},
    {EM_AARCH64,
     "/lib/aarch64-linux-gnu/libc.so.6",
     "lib/aarch64-linux-gnu",
     {"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib", "/usr/lib"}},
    {EM_X86_64, "/lib64/libc.so.6", "lib64", {"/lib64", "/usr/lib64"}},
    {EM_AARCH64, "/lib64/libc.so.6", "lib64", {"/lib64", "/usr/lib64"}},
    {EM_X86_64, "/usr/lib/libc.so.6", "lib", {"/usr/lib", "/lib64", "/usr/lib64"}},
    {EM_AARCH64, "/usr/lib/libc.so.6", "lib", {"/usr/lib", "/lib64", "/usr/lib64"}},
};
#define LAYOUTS (sizeof layouts / sizeof *layouts)

static unsigned parse_release(const char *text)
{
    struct cua_version v;

    /* Of a development version such as "2.31.9000" only 2.31 counts. */
    return cua_version_parse(&v, text) ? v.part[0] * 100 + v.part[1] : 0;
}

/* Returns the glibc release that the name of libc's file shows: before glibc 2.34 libc.so.6 was a
 * link to a file such as libc-2.31.so. 0: the name shows none. */
static unsigned release_of_file(const struct cua_subject *subject, const char *libc)
{
    char real[PATH_MAX];
    const char *name;

    if (cua_subject_resolve(subject, libc, real) != 0)
        return 0;
    name = cua_basename(real);
    if (cua_starts(name, "libc-") && cua_ends(name, ".so")) {
        real[strlen(real) - strlen(".so")] = 0;
        return parse_release(name + strlen("libc-"));
    }
    return 0;
}

static bool is_mapped(const char *path)
{
    const struct cua_mapped *mapped = cua_mapped();
    size_t i = 0;

    while (i < mapped->count && strcmp(mapped->object[i].name, path) != 0)
        i++;
    return i < mapped->count;
}

/* The glibc release of the process that asks (machine/asker.h). In the command `cuarbiter` no
 * process asks, and the release is that of the command's own glibc. 0: not known, because the
 * process did not report it, or the command was built with another libc. */
static unsigned own_release(void)
{
    if (cua_asker.pid)
        return parse_release(cua_asker.glibc);
#if defined(__GLIBC__)
    return parse_release(gnu_get_libc_version());
#else
    return 0;
#endif
}

/* Finds the row of `layouts` whose libc exists below `root`; NULL if none does. `own`: `root` is
 * this process's; a row whose libc is mapped by exactly that name then comes first. `any`: a libc
 * for another machine type will do.
 *
 * A row for /lib64 gives way to a later row that names the same file: on Arch, /lib64 is a link to
 * /usr/lib, and $LIB is "lib". */
static const struct layout *find_layout(const struct cua_subject *root, bool own, bool any)
{
    const struct layout *found = NULL;
    struct stat st, first;

    for (size_t i = 0; own && i < LAYOUTS; i++)
        if (layouts[i].machine == cua_elf_own_machine() && is_mapped(layouts[i].libc))
            return &layouts[i];
    for (size_t i = 0; i < LAYOUTS; i++) {
        if ((!any && layouts[i].machine != cua_elf_own_machine()) ||
            (found && layouts[i].machine != found->machine) ||
            cua_subject_stat(root, layouts[i].libc, &st) != 0)
            continue;
        if (!found && strcmp(layouts[i].lib, "lib64") == 0) {
            found = &layouts[i];
            first = st;
        } else if (!found || (st.st_dev == first.st_dev && st.st_ino == first.st_ino)) {
            return &layouts[i];
        }
    }
    return found;
}

void cua_ldso_of(struct cua_ldso *ldso, const struct cua_subject *subject)
{
    /* A sysroot of this process (a folder that stands for another machine's root) contains only
     * drivers. The process's own ld.so lies in the real root. */
    bool own = cua_subject_is_own(subject);
    const struct cua_subject root = {.sysroot = own ? "" : subject->sysroot};
    static _Atomic(const struct layout *) of_own;
    const struct layout *found = own ? atomic_load(&of_own) : NULL;
    const struct cua_prefix *prefix = own ? cua_prefix_own() : NULL;

    if (!found)
        found = find_layout(&root, own, false);
    if (!found && subject->whatif)
        found = find_layout(&root, false, true);
    if (!found)
        found = &layouts[cua_elf_own_machine() == EM_AARCH64];
    if (own)
        atomic_store(&of_own, found);
    /* Clear only the fields before `subfolder`, which is large and rarely needed. */
    memset(ldso, 0, offsetof(struct cua_ldso, subfolder));
    ldso->machine = found->machine;
    ldso->lib = found->lib;
    ldso->folders = prefix && prefix->folders[0] ? prefix->folders : found->folders;
    ldso->glibc = own ? own_release() : release_of_file(&root, found->libc);
    if (!ldso->glibc)
        ldso->glibc = 234;
}

#if defined(__x86_64__)
struct cpu {
    /* Results of cpuid. `basic`: ECX of leaf 1; `wide`: EBX of leaf 7; `more`: ECX of leaf
     * 0x80000001. */
    unsigned basic, wide, more;
    unsigned saved; /* XCR0: which register states the kernel saves */
    bool intel;
};

/* Executes cpuid directly, because __get_cpuid would execute it twice for each leaf, and in a
 * virtual machine each execution takes 25 us. */
static void ask_cpu(struct cpu *cpu)
{
    unsigned a, b, c, d, most;

    memset(cpu, 0, sizeof *cpu);
    __cpuid(0, most, b, c, d);
    cpu->intel = b == signature_INTEL_ebx && d == signature_INTEL_edx && c == signature_INTEL_ecx;
    if (most >= 7)
        __cpuid_count(7, 0, a, cpu->wide, c, d);
    __cpuid(0x80000001, a, b, cpu->more, d);
    __cpuid(1, a, b, cpu->basic, d);
    if (cpu->basic & bit_OSXSAVE)
        __asm__("xgetbv" : "=a"(cpu->saved), "=d"(d) : "c"(0));
}

static bool all(unsigned word, unsigned bits)
{
    return (word & bits) == bits;
}

/* Bits of XCR0 (Intel's manual): SSE and AVX state; the second constant adds opmask and both upper
 * ZMM states. */
#define SAVES_AVX    0x6u
#define SAVES_AVX512 0xe6u
/* Bits of EBX of cpuid's leaf 7: features that only Xeon Phi has. gcc 15 no longer has names for
 * them. */
#define CPU_AVX512PF (1u << 26)
#define CPU_AVX512ER (1u << 27)

static void ask_processor(struct cua_ldso *ldso)
{
    struct cpu cpu;
    bool v2, v3, v4;

    ask_cpu(&cpu);
    v2 = all(cpu.basic,
             bit_CMPXCHG16B | bit_POPCNT | bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2) &&
         all(cpu.more, bit_LAHF_LM);
    v3 = v2 && all(cpu.saved, SAVES_AVX) && all(cpu.wide, bit_AVX2 | bit_BMI | bit_BMI2) &&
         all(cpu.basic, bit_AVX | bit_F16C | bit_FMA | bit_MOVBE) && all(cpu.more, bit_LZCNT);
    v4 = v3 && all(cpu.saved, SAVES_AVX512) &&
         all(cpu.wide, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL);
    ldso->level = v4 ? 4 : v3 ? 3 : v2 ? 2 : 1;
    if (ldso->glibc < 226)
        return;
    /* The bits are those of glibc 2.26 to 2.36 (dl_x86_hwcap_flags; the platforms begin at bit 48):
     * bit 1 is x86_64, bit 2 avx512_1, bit 50 haswell, bit 51 xeon_phi. Except for x86_64, glibc
     * recognized them only on Intel's processors. */
    ldso->hwcap = 1u << 1;
    if (!cpu.intel)
        return;
    if (v3 && all(cpu.wide, bit_AVX512F | bit_AVX512CD | CPU_AVX512ER | CPU_AVX512PF)) {
        ldso->platform = "xeon_phi";
        ldso->hwcap |= 1ull << 51;
    } else if (v3) {
        ldso->platform = "haswell";
        ldso->hwcap |= 1ull << 50;
    }
    if (v4 && !(cpu.wide & CPU_AVX512ER))
        ldso->hwcap |= 1u << 2;
}
#else
static void ask_processor(struct cua_ldso *ldso)
{
    if (ldso->glibc >= 227)
        ldso->hwcap = getauxval(AT_HWCAP) & (1u << 8); /* the bit HWCAP_ATOMICS */
}
#endif

/* Adds the subfolders that glibc up to 2.36 searches, one for every non-empty subset of the names
 * in `name`. Later names come first, both in a path and in the order of the paths: x86_64 and tls
 * give tls/x86_64, tls, x86_64. */
static void add_legacy(struct cua_ldso *ldso)
{
    const char *name[4];
    unsigned count = 0;

    if (ldso->machine == EM_X86_64 && ldso->hwcap & 1u << 1)
        name[count++] = "x86_64";
    if (ldso->machine == EM_X86_64 && ldso->hwcap & 1u << 2)
        name[count++] = "avx512_1";
    if (ldso->machine == EM_AARCH64 && ldso->hwcap)
        name[count++] = "atomics";
    name[count++] = ldso->platform;
    name[count++] = "tls";
    for (unsigned set = (1u << count) - 1; set > 0; set--) {
        char *path = ldso->subfolder[ldso->subfolders++];
        path[0] = 0;
        for (unsigned i = count; i-- > 0;)
            if (set & 1u << i)
                cua_join(path, sizeof *ldso->subfolder, path, name[i]);
    }
}

static const char *const levels[] = {"x86-64-v4", "x86-64-v3", "x86-64-v2"};

void cua_ldso_ask(struct cua_ldso *ldso)
{
    if (ldso->asked)
        return;
    ldso->asked = true;
    ldso->platform = ldso->machine == EM_X86_64 ? "x86_64" : "aarch64";
    ldso->level = 1;
    if (ldso->machine == cua_elf_own_machine())
        ask_processor(ldso);
    for (unsigned i = 4 - ldso->level; ldso->glibc >= 233 && i < 3; i++)
        cua_join(ldso->subfolder[ldso->subfolders++], sizeof *ldso->subfolder, "/glibc-hwcaps",
                 levels[i]);
    if (ldso->glibc < 237)
        add_legacy(ldso);
}

unsigned cua_ldso_preference(struct cua_ldso *ldso, const char *name)
{
    cua_ldso_ask(ldso);
    for (unsigned i = 4 - ldso->level; i < 3; i++)
        if (strcmp(name, levels[i]) == 0)
            return i + 1;
    return 0;
}
