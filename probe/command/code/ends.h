/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver and a GPU make of one module of GPU code, entry by entry, and of a file. */
#ifndef CUA_CODE_ENDS_H
#define CUA_CODE_ENDS_H

#include <stdbool.h>

/* LTO is for nvJitLink, no driver. */
enum cua_code_kind { CUA_CODE_OTHER, CUA_CODE_PTX, CUA_CODE_ELF, CUA_CODE_LTO, CUA_CODE_KINDS };
enum cua_code_packed { CUA_PACKED_NONE, CUA_PACKED_LZ4, CUA_PACKED_ZSTD, CUA_PACKED_OTHER };

struct cua_code_entry {
    enum cua_code_kind kind;
    enum cua_code_packed packed;
    unsigned sm;      /* 90 for sm_90a */
    char suffix;      /* 'a': for that capability alone, 'f': for its family; 0 */
    unsigned version; /* of PTX: 87 for 8.7 */
    bool empty;       /* PTX too short to hold a kernel */
};

struct cua_code_target {
    unsigned cc;       /* 90; 0 unknown */
    unsigned cuda;     /* of the driver, 12040; 0 unknown */
    unsigned ptx;      /* the newest PTX that it takes for sure, 84; 0 unknown */
    bool ptx_sure;     /* and it takes no newer one */
    unsigned compiler; /* the CUDA of the driver's own compiler, which decides both; 0 unknown */
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

struct cua_code {
    const struct cua_code_target *target;
    void (*each)(const struct cua_code_entry *entry); /* gets every entry; may be NULL */

    enum cua_code_end result;
    unsigned long entries, modules, end[CUA_CODE_ENDS]; /* how many there are, and end so */
    unsigned needs;      /* the CUDA of a driver with which none ends in 222 or 200; 0 any */
    unsigned compiler;   /* the file is a compiler of this CUDA; 0: it is none */
    const char *trouble; /* why some of it is not known; NULL */

    bool apart, linkable; /* what comes is no module; there was PTX for this GPU in such */
    struct {
        unsigned ends[CUA_CODE_KINDS]; /* 1 << end of each entry for this GPU */
        unsigned oldest;               /* of its PTX that is too new */
        bool loads, other, empty;      /* it is a driver's to load, not known, without a kernel */
    } module;                          /* so far */
};

/* The tables, ptx.tsv, packing.tsv and tegra-cc.tsv of data/: from nothing, ascending, to a CUDA
 * that they do not have yet; from which CUDA on drivers unpack zstd; whether binaries of it run on
 * no other chip, and none of others on it. */
extern const struct cua_code_ptx {
    unsigned cuda, ptx;
} cua_code_ptx[];
#define CUA_CODE_LATER ~0u
extern const unsigned cua_code_zstd;
bool cua_code_is_tegra(unsigned sm);

/* The newest PTX that a CUDA writes and takes; 0: not in the table. `sure`: and no newer one. */
unsigned cua_code_ptx_of(unsigned cuda, bool *sure);

/* The next entry of a module, the end of the module, and of the file. */
void cua_code_take(struct cua_code *code, const struct cua_code_entry *entry);
void cua_code_end_module(struct cua_code *code);
enum cua_code_end cua_code_result(const struct cua_code *code);

#endif
