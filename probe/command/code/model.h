/* SPDX-License-Identifier: Apache-2.0 */
/* What drivers and GPUs can do with a file: with its GPU code, divided into modules, and with the
 * CUDA version it was built for. A module is what programs load as a whole: a container of entries
 * (a "fat binary"), a cubin, or PTX. */
#ifndef CUA_CODE_MODEL_H
#define CUA_CODE_MODEL_H

#include <stdbool.h>
#include <stddef.h>

/* Tables of data/ that only the command has; each ends with a row of zeros. cua_code_ptx (ptx.tsv):
 * the latest PTX version of each CUDA, ascending. Its first row has no PTX version, and the last
 * row's CUDA is CUA_CODE_LATER. cua_code_packings (packing.tsv): no packing, an unknown one, and
 * others, each with the first CUDA whose drivers unpack it. tegra-cc.tsv: the capabilities whose
 * binaries run on no other chip, and whose chips run no other binaries. cua_code_sonames
 * (sonames.tsv): the earliest CUDA that a library belongs to. first-driver.tsv: the first driver
 * that supports a GPU. */
extern const struct cua_code_ptx {
    unsigned cuda, ptx;
} cua_code_ptx[];
extern const struct cua_code_packing {
    const char *name;
    unsigned flag, cuda;
} cua_code_packings[];
extern const struct cua_code_soname {
    const char *library;
    unsigned number, cuda;
} cua_code_sonames[];
#define CUA_CODE_LATER ~0u

/* The numbers are those in containers. LTO code is for nvJitLink, not for drivers. */
enum cua_code_kind { CUA_CODE_OTHER, CUA_CODE_PTX, CUA_CODE_ELF, CUA_CODE_LTO = 8 };

struct cua_code_entry {
    enum cua_code_kind kind;
    const struct cua_code_packing *packed;
    unsigned sm;      /* 90 for sm_90a */
    char suffix[2];   /* "a": only for that capability; "f": for its family */
    unsigned version; /* of PTX only: 87 for 8.7 */
    bool empty;       /* it is too short to contain a kernel */
};

/* A GPU and a driver. */
struct cua_code_target {
    char gpu[64], driver[96]; /* as the user named them, or as they were found */
    unsigned cc;              /* the GPU's capability, 90 for 9.0; 0: not known */
    unsigned cuda;            /* the driver's CUDA, 12040; 0: not known */
    unsigned compiler;        /* the CUDA of the driver's compiler, which decides about PTX */
    bool own;                 /* `compiler` comes from the driver's own compiler file */
    char refused[160];        /* why this driver does not work with this GPU; "" */
};

/* The result for a module or a file; the worst comes last. The numbers are CUDA's errors. */
enum cua_code_end {
    CUA_CODE_SERVES,  /* it runs, or the driver compiles it; nothing speaks against the file */
    CUA_CODE_UNKNOWN, /* too little is known about GPU, driver or file */
    CUA_CODE_209,     /* no code for this GPU */
    CUA_CODE_200,     /* packed in a way that this driver cannot unpack */
    CUA_CODE_222,     /* PTX that is too new for this driver */
    /* The others are results of a file only: */
    CUA_CODE_PART, /* some modules serve, others do not */
    CUA_CODE_100,  /* the driver does not support the GPU yet, or no longer */
    CUA_CODE_35,   /* the driver is too old for the file's CUDA */
    CUA_CODE_ENDS
};

/* The result of a file for one target. */
struct cua_code_result {
    enum cua_code_end verdict;
    unsigned long end[CUA_CODE_ENDS]; /* per result, the number of modules */
    /* Modules counted in end[CUA_CODE_209] that were made for other GPUs on purpose. */
    unsigned long aside;
    /* Those of `aside` for which the only sign is that all their code is for later GPUs. */
    unsigned long later;
    bool linkable; /* the file has PTX from which the driver may link modules again */
    /* Device-linked modules without code for this GPU. While the file is read they are counted in
     * end[CUA_CODE_209]; at its end they move to unknown if `linkable`. linked_aside, linked_later:
     * how many of them belong in `aside` and `later` if they do not move. */
    unsigned long linked;
    unsigned long linked_aside, linked_later;
    /* Another file of its group serves instead, whose name differs only in digits, such as
     * libbitsandbytes_cuda118.so and ...cuda130.so. Set by tree.c. */
    bool spare;
    unsigned needs; /* the CUDA of a driver with which no module ends in 222, 200 or 35; 0: any */
};

/* What is kept about a file. The caller owns and sets path, targets, named, listed and needed. */
struct cua_code {
    const char *path; /* its name also shows whether the file is a compiler or PTX */
    const struct cua_code_target *targets;
    size_t count;
    /* The user named this file: if it is neither ELF nor GPU code, that is reported. */
    bool named;
    bool listed; /* keep its entries */
    /* Called with each library that the file needs; may be NULL. */
    void (*needed)(const char *library);

    struct cua_code_result *result; /* one per target; cua_code_free() frees it, and the list */
    /* Only if `listed`: the entries. If not all could be kept, `trouble` is set. */
    struct cua_code_entry *list;
    unsigned long entries, modules, room;
    unsigned runtime;    /* the earliest CUDA whose runtime it needs; 0: not known */
    char runtime_by[64]; /* the name from which `runtime` is known */
    bool registers;      /* it registers code with a runtime, so it belongs to some CUDA */
    unsigned compiler;   /* it is, or contains, a compiler of this CUDA; 0: no compiler */
    bool writes_ptx;     /* a compiler that may write PTX, which the driver then compiles */
    const char *trouble; /* why a part of it is not known; NULL: nothing went wrong */
    /* Functions that the file imports and libcuda lacks, joined by ", "; set by tree.c. */
    char lacks[512];
};

#endif
