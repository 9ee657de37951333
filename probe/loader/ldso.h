/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the dynamic loader of a subject: its version, its default folders, the values of $LIB
 * and $PLATFORM, and the subfolders that it prefers on this processor. */
#ifndef CUA_LDSO_H
#define CUA_LDSO_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/subject.h"

struct cua_ldso {
    unsigned glibc;             /* 231 for glibc 2.31 */
    unsigned machine;           /* EM_X86_64, EM_AARCH64 */
    const char *lib;            /* value of $LIB */
    const char *const *folders; /* the default folders in order, then NULL */
    /* The fields below depend on the processor. They are filled in on first use, because cpuid is
     * slow in a virtual machine. */
    bool asked;
    const char *platform; /* value of $PLATFORM */
    unsigned level;       /* 2 for x86-64-v2; 1: baseline */
    uint64_t hwcap;       /* bits of legacy cache entries that can be used here */
    /* Number of subfolders; they are in order of preference, each with a slash and without the
     * folder. */
    unsigned subfolders;
    /* Room for three levels, and for the subsets of four names before glibc 2.37. */
    char subfolder[18][48];
};

void cua_ldso_of(struct cua_ldso *ldso, const struct cua_subject *subject);

/* Fills in what depends on the processor. */
void cua_ldso_ask(struct cua_ldso *ldso);

/* The preference of a glibc-hwcaps name: 0 if it cannot be used here; otherwise lower is better. */
unsigned cua_ldso_preference(struct cua_ldso *ldso, const char *name);

#endif
