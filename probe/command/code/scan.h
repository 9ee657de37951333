/* SPDX-License-Identifier: Apache-2.0 */
/* What one file carries for a GPU: ELF files with fat binaries in their sections, loose .fatbin,
 * .cubin and .ptx, and compilers. Input is hostile and bounded; what is kept of it has one size. */
#ifndef CUA_CODE_SCAN_H
#define CUA_CODE_SCAN_H

#include "command/code/target.h"

enum cua_code_result {                     /* the worst last */
                       CUA_RESULT_NOTHING, /* nothing found against it */
                       CUA_RESULT_UNKNOWN,
                       CUA_RESULT_209,     /* no module serves, for none is for this GPU */
                       CUA_RESULT_PARTIAL, /* some serve, some end in 222 or 200 */
                       CUA_RESULT_200,
                       CUA_RESULT_222,
};

#define CUA_CODE_WORDS 384

struct cua_code {
    unsigned long modules, end[CUA_CODE_ENDS]; /* modules in all, and how they end */
    unsigned long entries;
    unsigned ptx;        /* the PTX that a driver must take so that no module ends in 222 */
    bool zstd;           /* modules that end in 200 are packed with it */
    unsigned compiler;   /* the file is a compiler of this CUDA, 12040; 0 it is none */
    const char *trouble; /* why the file, or a part of it, is not known; NULL */
};

/* Looks at a regular file; `name` shows compilers and PTX. `each`, which may be NULL, gets every
 * entry. True where the file is of a kind that is known here. The descriptor stays the caller's. */
bool cua_code_scan(struct cua_code *code, int fd, const char *name,
                   const struct cua_code_target *target,
                   void (*each)(void *data, const struct cua_code_entry *entry), void *data);

enum cua_code_result cua_code_result(const struct cua_code *code);

/* The CUDA of a driver that takes what ends in 222 or 200; 0: nothing does, or later than the
 * tables. */
unsigned cua_code_needs(const struct cua_code *code);

/* One sentence without its full stop, for people. `words` has CUA_CODE_WORDS bytes. */
const char *cua_code_words(const struct cua_code *code, const struct cua_code_target *target,
                           char *words);

/* The CUDA that a compiler's library names as its own, as ptxas, libnvrtc and a driver's
 * libnvidia-ptxjitcompiler do; 0 unknown. */
unsigned cua_code_release(int fd);

#endif
