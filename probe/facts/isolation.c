/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/isolation.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { EAX, EBX, ECX, EDX };

/* The leaves and bits are those of Linux' headers asm/shared/tdx.h and asm/hyperv-tlfs.h for
 * x86. */
#define HYPERVISOR      (1u << 31) /* in ECX of leaf 1 */
#define TDX             0x21u
#define VENDOR          0x40000000u
#define FEATURES        0x40000003u
#define ISOLATION       0x4000000cu
#define HAS_ISOLATION   (1u << 22) /* in EBX of the leaf FEATURES */
#define ISOLATION_TYPES 15u        /* in EBX of the leaf ISOLATION */
#define BY_SNP          2u
#define BY_TDX          3u

static bool spells(unsigned a, unsigned b, unsigned c, const char *word)
{
    const unsigned got[] = {a, b, c};

    return memcmp(got, word, sizeof(got)) == 0;
}

bool cua_isolated_by(void (*ask)(unsigned leaf, unsigned out[4]))
{
    unsigned out[4], type;

    ask(1, out);
    if (!(out[ECX] & HYPERVISOR))
        return false;
    ask(0, out);
    if (out[EAX] >= TDX) {
        ask(TDX, out);
        if (spells(out[EBX], out[EDX], out[ECX], "IntelTDX    "))
            return true;
    }
    ask(VENDOR, out);
    if (out[EAX] < ISOLATION || !spells(out[EBX], out[ECX], out[EDX], "Microsoft Hv"))
        return false;
    ask(FEATURES, out);
    if (!(out[EBX] & HAS_ISOLATION))
        return false;
    ask(ISOLATION, out);
    type = out[EBX] & ISOLATION_TYPES;
    return type == BY_SNP || type == BY_TDX;
}

#if defined(__x86_64__)
static void ask_here(unsigned leaf, unsigned out[4])
{
    __cpuid_count(leaf, 0, out[EAX], out[EBX], out[ECX], out[EDX]);
}

bool cua_isolated(void)
{
    return cua_isolated_by(ask_here);
}
#else
bool cua_isolated(void)
{
    return false;
}
#endif
