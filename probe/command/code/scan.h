/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver and a GPU make of a file's GPU code: of its entries, and of its modules, which are
 * what programs load as a whole (a container of entries, a "fat binary"; a cubin; PTX). */
#ifndef CUA_CODE_SCAN_H
#define CUA_CODE_SCAN_H

#include "command/status/report.h"

/* The tables, ptx.tsv, packing.tsv and tegra-cc.tsv of data/: from nothing, ascending, to a CUDA
 * that they do not have yet; no packing, an unknown one, and others, each with the CUDA from which
 * on drivers unpack it; whether binaries run on no other chip, and none of others on it. */
extern const struct cua_code_ptx {
    unsigned cuda, ptx;
} cua_code_ptx[];
extern const struct cua_code_packing {
    const char *name;
    unsigned flag, cuda;
} cua_code_packings[];
#define CUA_CODE_LATER ~0u
bool cua_code_is_tegra(unsigned sm);

/* The numbers are those of containers. LTO is for nvJitLink, no driver. */
enum cua_code_kind { CUA_CODE_OTHER, CUA_CODE_PTX, CUA_CODE_ELF, CUA_CODE_LTO = 8 };

struct cua_code_entry {
    enum cua_code_kind kind;
    const struct cua_code_packing *packed;
    unsigned sm;      /* 90 for sm_90a */
    char suffix[2];   /* "a": for that capability alone, "f": for its family */
    unsigned version; /* of PTX: 87 for 8.7 */
    bool empty;       /* PTX too short to hold a kernel */
};

struct cua_code_target {
    unsigned cc;       /* 90; 0 unknown */
    unsigned cuda;     /* of the driver, 12040; 0 unknown */
    unsigned compiler; /* the same of its compiler, which decides on PTX */
    bool own;          /* that is what the driver's own compiler says */
};

/* How a module, and a file, ends where it is used; the worst last. The numbers are CUDA's. */
enum cua_code_end {
    CUA_CODE_SERVES,  /* it runs, or the driver compiles it; nothing found against the file */
    CUA_CODE_UNKNOWN, /* GPU, driver or file are not known well enough */
    CUA_CODE_209,     /* nothing for this GPU: builds leave GPUs out on purpose */
    CUA_CODE_PARTIAL, /* of a file alone: some modules serve, some end in one of the next */
    CUA_CODE_200,     /* packed in a way that this driver cannot unpack */
    CUA_CODE_222,     /* PTX that this driver is too old for */
    CUA_CODE_ENDS
};

/* A file, all that is kept of it; path, target, named and each are the caller's. */
struct cua_code {
    const char *path; /* its name shows what is a compiler or PTX */
    const struct cua_code_target *target;
    bool named; /* somebody asks for it: that it is neither ELF nor GPU code is trouble */
    void (*each)(const struct cua_code_entry *entry); /* gets every entry; may be NULL */

    enum cua_code_end result;
    unsigned long entries, modules, end[CUA_CODE_ENDS]; /* how many there are, and end so */
    unsigned needs;      /* the CUDA of a driver with which none ends in 222 or 200; 0 any */
    unsigned compiler;   /* the file is a compiler of this CUDA; 0: it is none */
    const char *trouble; /* why some of it is not known; NULL */
    char lacks[512];     /* functions that it imports and libcuda lacks, ", " between: the verb's */
};

/* Looks at a file that is open and closes it; at nothing by a negative descriptor. Which modules
 * are used, and what is compiled later, is not known. */
void cua_code_scan(struct cua_code *code, int fd);

/* The GPU of a report that has the highest capability, and one of its libcudas (NULL: not known),
 * whose own compiler, beside it, is asked before the tables. */
void cua_code_target_of(struct cua_code_target *target, const struct cua_report *report,
                        const struct cua_umd *driver);

/* The row of the newest PTX that a compiler writes, and takes for sure; {0, 0} of an unknown one.
 */
const struct cua_code_ptx *cua_code_ptx_of(unsigned compiler);

#endif
