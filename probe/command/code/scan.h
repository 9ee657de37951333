/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a driver and a GPU make of the GPU code in one file: an ELF file with fat binaries in its
 * sections, or a loose .fatbin, .cubin or .ptx. Which modules a program uses, and what it compiles
 * while it runs, is not known. Input is hostile and bounded; what is kept of a file has one size.
 */
#ifndef CUA_CODE_SCAN_H
#define CUA_CODE_SCAN_H

#include "command/code/fatbin.h"

struct cua_code_target {
    unsigned cc;       /* 90; 0 unknown */
    unsigned cuda;     /* of the driver, 12040; 0 unknown */
    unsigned ptx;      /* the newest PTX that it takes for sure, 84; 0 unknown */
    bool ptx_sure;     /* and it takes no newer one */
    unsigned compiler; /* the CUDA of the driver's own compiler, which decides both; 0 unknown */
};

/* How a module ends where it is used; the numbers are CUDA's. */
enum cua_code_end {
    CUA_CODE_SERVES,  /* it runs, or the driver compiles it */
    CUA_CODE_UNKNOWN, /* GPU, driver or file are not known well enough */
    CUA_CODE_209,     /* nothing for this GPU: builds leave GPUs out on purpose */
    CUA_CODE_200,     /* packed in a way that this driver cannot unpack */
    CUA_CODE_222,     /* PTX that this driver is too old for */
    CUA_CODE_ENDS
};

enum cua_code_result {                     /* the worst last */
                       CUA_RESULT_NOTHING, /* nothing found against it */
                       CUA_RESULT_UNKNOWN,
                       CUA_RESULT_209,     /* no module serves: none is for this GPU */
                       CUA_RESULT_PARTIAL, /* some serve, some end in 222 or 200 */
                       CUA_RESULT_200,
                       CUA_RESULT_222,
};

struct cua_code {
    unsigned long modules, end[CUA_CODE_ENDS]; /* how many there are, and end so */
    unsigned long entries;
    unsigned ptx;        /* what a driver must take so that none ends in 222 */
    unsigned compiler;   /* the file is a compiler of this CUDA; 0: it is none */
    const char *trouble; /* why some of it is not known; NULL */
};

/* The tables: ptx.tsv and packing.tsv of data/. */
struct cua_row_ptx {
    unsigned cuda, ptx;
    bool sure; /* no guess */
};
extern const struct cua_row_ptx cua_code_ptx[]; /* ascending, then a row of nothing */
extern const unsigned cua_code_zstd;            /* drivers from this CUDA on unpack it */

/* The newest PTX of a CUDA, and the first CUDA whose PTX is as new as this; 0: not in the table. */
unsigned cua_code_ptx_of(unsigned cuda, bool *sure);
unsigned cua_code_cuda_of(unsigned ptx);

/* Looks at a regular file; `name` shows what is a compiler or PTX. `each`, which may be NULL, gets
 * every entry. False where it is not such a file. The descriptor stays the caller's. */
bool cua_code_scan(struct cua_code *code, int fd, const char *name,
                   const struct cua_code_target *target,
                   void (*each)(void *data, const struct cua_code_entry *entry), void *data);
enum cua_code_result cua_code_result(const struct cua_code *code);

#endif
