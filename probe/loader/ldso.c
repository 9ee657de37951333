/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/ldso.h"

#include <elf.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "elf/file.h"
#include "base/text.h"
#include "base/version.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Where distributions put libc.so.6 tells which folders their ld.so was built with. */
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

    /* "2.31.9000" is a development version of 2.32. */
    return cua_version_parse(&v, text) ? v.part[0] * 100 + v.part[1] : 0;
}

/* Before 2.34 libc.so.6 was a link to libc-2.31.so. */
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

static unsigned own_release(void)
{
    static _Atomic unsigned known;
    unsigned release = known;

    if (!release)
        known = release = parse_release(gnu_get_libc_version());
    return release;
}

void cua_ldso_of(struct cua_ldso *ldso, const struct cua_subject *subject)
{
    /* Below the sysroot of a live process lie drivers; its ld.so is the machine's. */
    const struct cua_subject machine = {.sysroot =
                                            cua_subject_is_own(subject) ? "" : subject->sysroot};
    static _Atomic(const struct layout *) of_own;
    unsigned own = cua_elf_own_machine();
    const struct layout *found = cua_subject_is_own(subject) ? atomic_load(&of_own) : NULL;
    struct stat st;

    /* Not all of it, which is large and mostly never needed. */
    ldso->asked = false;
    ldso->platform = NULL;
    ldso->level = ldso->subfolders = 0;
    ldso->hwcap = 0;
    ldso->legacy[0] = NULL;
    for (size_t i = 0; i < LAYOUTS && !found; i++) {
        if ((layouts[i].machine == own) && cua_subject_stat(&machine, layouts[i].libc, &st) == 0)
            found = &layouts[i];
    }
    for (size_t i = 0; i < LAYOUTS && !found && subject->whatif; i++) {
        if (cua_subject_stat(&machine, layouts[i].libc, &st) == 0)
            found = &layouts[i];
    }
    for (size_t i = 0; i < LAYOUTS && !found; i++) {
        if (layouts[i].machine == own)
            found = &layouts[i];
    }
    if (cua_subject_is_own(subject))
        atomic_store(&of_own, found);
    ldso->machine = found->machine;
    ldso->lib = found->lib;
    ldso->folders = found->folders;
    if (cua_subject_is_own(subject))
        ldso->glibc = own_release();
    else
        ldso->glibc = release_of_file(&machine, found->libc);
    if (!ldso->glibc)
        ldso->glibc = 234;
}

#if defined(__x86_64__)
struct cpu {
    unsigned basic_c, basic_d, wide_b, more_c;
    uint64_t saved; /* registers that the kernel saves: XCR0 */
    bool intel;
};

static void ask_cpu(struct cpu *cpu)
{
    unsigned a, b, c, d;

    memset(cpu, 0, sizeof *cpu);
    if (!__get_cpuid(0, &a, &b, &c, &d))
        return;
    cpu->intel = b == signature_INTEL_ebx && d == signature_INTEL_edx && c == signature_INTEL_ecx;
    if (a >= 7 && __get_cpuid_count(7, 0, &a, &b, &c, &d))
        cpu->wide_b = b;
    if (__get_cpuid(0x80000001, &a, &b, &c, &d))
        cpu->more_c = c;
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        cpu->basic_c = c;
        cpu->basic_d = d;
    }
    if (cpu->basic_c & bit_OSXSAVE) {
        __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
        cpu->saved = (uint64_t)d << 32 | a;
    }
}

static bool all(unsigned word, unsigned bits)
{
    return (word & bits) == bits;
}

/* Intel's manual, "XCR0": SSE and AVX state; with it opmask and both upper ZMM states. */
#define SAVES_AVX    0x6u
#define SAVES_AVX512 0xe6u

static void ask_processor(struct cua_ldso *ldso)
{
    const unsigned wide = bit_AVX2 | bit_BMI | bit_BMI2;
    const unsigned wider = bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL;
    struct cpu cpu;
    bool v2, v3, v4;

    ask_cpu(&cpu);
    v2 = all(cpu.basic_c,
             bit_CMPXCHG16B | bit_POPCNT | bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2) &&
         all(cpu.more_c, bit_LAHF_LM);
    v3 = v2 && all((unsigned)cpu.saved, SAVES_AVX) && all(cpu.wide_b, wide) &&
         all(cpu.basic_c, bit_AVX | bit_F16C | bit_FMA | bit_MOVBE) && all(cpu.more_c, bit_LZCNT);
    v4 = v3 && all((unsigned)cpu.saved, SAVES_AVX512) && all(cpu.wide_b, wider);
    ldso->level = v4 ? 4 : v3 ? 3 : v2 ? 2 : 1;
    ldso->platform = "x86_64";
    if (ldso->glibc < 226)
        return;
    /* dl_x86_hwcap_flags of glibc 2.26 to 2.36: x86_64 bit 1, avx512_1 bit 2; platforms from bit
     * 48 on, haswell the third, xeon_phi the fourth. Only Intel's had them. */
    ldso->hwcap = 1u << 1;
    if (!cpu.intel)
        return;
    if (v3 && all(cpu.wide_b, bit_AVX512F | bit_AVX512CD | bit_AVX512ER | bit_AVX512PF)) {
        ldso->platform = "xeon_phi";
        ldso->hwcap |= 1ull << 51;
    } else if (v3) {
        ldso->platform = "haswell";
        ldso->hwcap |= 1ull << 50;
    }
    if (v4 && !(cpu.wide_b & bit_AVX512ER))
        ldso->hwcap |= 1u << 2;
}
#else
static void ask_processor(struct cua_ldso *ldso)
{
    ldso->platform = "aarch64";
    if (ldso->glibc >= 227)
        ldso->hwcap = getauxval(AT_HWCAP) & (1u << 8); /* HWCAP_ATOMICS */
}
#endif

static void add_subfolder(struct cua_ldso *ldso, const char *name)
{
    if (ldso->subfolders < CUA_LDSO_SUBFOLDERS &&
        cua_copy(ldso->subfolder[ldso->subfolders], sizeof ldso->subfolder[0], name))
        ldso->subfolders++;
}

/* Up to 2.36: every subset of these names, the last one foremost in the path, larger ones first. */
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
    ldso->legacy[0] = "tls";
    for (unsigned i = 0; i < count; i++)
        ldso->legacy[1 + i] = i && strcmp(name[i], name[0]) == 0 ? NULL : name[i];
    ldso->legacy[1 + count] = NULL;
    for (unsigned set = (2u << count) - 1; set > 0; set--) {
        char path[48] = "";
        if (set & 1u << count)
            cua_copy(path, sizeof path, "tls");
        for (unsigned i = count; i-- > 0;) {
            if (set & 1u << i)
                snprintf(path + strlen(path), sizeof path - strlen(path), "%s%s",
                         path[0] ? "/" : "", name[i]);
        }
        add_subfolder(ldso, path);
    }
}

void cua_ldso_ask(struct cua_ldso *ldso)
{
    char name[32];

    if (ldso->asked)
        return;
    ldso->asked = true;
    ldso->platform = ldso->machine == EM_X86_64 ? "x86_64" : "aarch64";
    ldso->level = 1;
    if (ldso->machine == cua_elf_own_machine())
        ask_processor(ldso);
    for (unsigned level = ldso->level; ldso->glibc >= 233 && level > 1; level--) {
        snprintf(name, sizeof name, "glibc-hwcaps/x86-64-v%u", level);
        add_subfolder(ldso, name);
    }
    if (ldso->glibc < 237)
        add_legacy(ldso);
}

unsigned cua_ldso_preference(struct cua_ldso *ldso, const char *name)
{
    cua_ldso_ask(ldso);
    for (unsigned level = ldso->level; ldso->glibc >= 233 && level > 1; level--) {
        char own[24];
        snprintf(own, sizeof own, "x86-64-v%u", level);
        if (strcmp(name, own) == 0)
            return 5 - level;
    }
    return 0;
}
