/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the dynamic loader of a subject, the process that is examined (machine/subject.h): its
 * glibc version, its default folders, the values of $LIB and $PLATFORM, and the subfolders in which
 * it looks first for libraries that are tuned for this processor. */
#ifndef CUA_LDSO_H
#define CUA_LDSO_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/subject.h"

struct cua_ldso {
    unsigned glibc;             /* 231 for glibc 2.31; 234 if the version is not known */
    unsigned machine;           /* EM_X86_64, EM_AARCH64 */
    const char *lib;            /* value of $LIB */
    const char *const *folders; /* the default folders in order, then NULL */
    /* The fields below depend on the processor. cua_ldso_ask fills them in when they are first
     * needed, because cpuid is slow in a virtual machine. `asked`: they are filled in. */
    bool asked;
    const char *platform; /* value of $PLATFORM */
    unsigned level;       /* N of x86-64-vN; 1: baseline */
    /* This processor's hwcap bits. glibc before 2.37 compares them with those of ld.so.cache
     * entries. */
    uint64_t hwcap;
    /* Number of paths in `subfolder`, which are in order of preference. Each path begins with a
     * slash and is relative to the folder that is searched. */
    unsigned subfolders;
    /* Room for three levels of glibc-hwcaps and, before glibc 2.37, for the 15 paths that can be
     * made of four names such as tls and x86_64. */
    char subfolder[18][48];
};

void cua_ldso_of(struct cua_ldso *ldso, const struct cua_subject *subject);

/* Fills in the fields that depend on the processor, unless that was done already. */
void cua_ldso_ask(struct cua_ldso *ldso);

/* The preference of a glibc-hwcaps folder by its name, such as "x86-64-v3": 0 if this processor
 * cannot use it; otherwise a lower number is better. */
unsigned cua_ldso_preference(struct cua_ldso *ldso, const char *name);

#endif
