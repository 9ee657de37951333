/* SPDX-License-Identifier: Apache-2.0 */
/* What the dynamic loader of a subject is like: its version, its default folders, what it puts for
 * $LIB and $PLATFORM, and the subfolders that it prefers on this processor. */
#ifndef CUA_LDSO_H
#define CUA_LDSO_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/subject.h"

struct cua_ldso {
    unsigned glibc;             /* 231 for 2.31 */
    unsigned machine;           /* EM_X86_64, EM_AARCH64 */
    const char *lib;            /* for $LIB */
    const char *const *folders; /* the default ones, in order, NULL at the end */
    /* From the processor, on first use: cpuid is slow in a virtual machine. */
    bool asked;
    const char *platform;   /* for $PLATFORM */
    unsigned level;         /* x86-64-v2: 2; 1: baseline */
    uint64_t hwcap;         /* bits of legacy cache entries that are usable */
    unsigned subfolders;    /* in order of preference, each with a slash and without the folder: */
    char subfolder[18][48]; /* three levels, and the subsets of four names before glibc 2.37 */
};

void cua_ldso_of(struct cua_ldso *ldso, const struct cua_subject *subject);

/* Fills in what depends on the processor. */
void cua_ldso_ask(struct cua_ldso *ldso);

/* Preference of a glibc-hwcaps name: 0 not usable here, else the lower the better. */
unsigned cua_ldso_preference(struct cua_ldso *ldso, const char *name);

#endif
