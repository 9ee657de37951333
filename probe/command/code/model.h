/* SPDX-License-Identifier: Apache-2.0 */
/* What drivers and GPUs can do with a file. That depends on its GPU code, and on the CUDA version
 * that it was built for. The GPU code consists of modules. A module is what programs load as a
 * whole: a container of entries (a "fat binary"), a cubin, or PTX. An entry is one piece of GPU
 * code for one compute capability: a binary, PTX, or LTO code. */
#ifndef CUA_CODE_MODEL_H
#define CUA_CODE_MODEL_H

#include <stdbool.h>
#include <stddef.h>

/* The next three tables are for the command only. scripts/make-tables makes them from data/. */

/* ptx.tsv: the latest PTX version of each CUDA, ascending. The first row is {0, 0}, the last row
 * {CUA_CODE_LATER, ~0}. */
extern const struct cua_code_ptx {
    unsigned cuda, ptx;
} cua_code_ptx[];
/* packing.tsv: how the payload of an entry may be packed. Row 0: not packed; row 1: in an unknown
 * way; then the known ways. A row of zeros ends the table. */
extern const struct cua_code_packing {
    const char *name;
    /* flag: in the entry's header. cuda: the first CUDA whose drivers unpack it; 0: all do. */
    unsigned flag, cuda;
} cua_code_packings[];
/* sonames.tsv: the earliest CUDA that a library with this number in its name belongs to. A row of
 * zeros ends the table. */
extern const struct cua_code_soname {
    const char *library;
    unsigned number, cuda;
} cua_code_sonames[];
#define CUA_CODE_LATER ~0u

/* The kind of an entry. The numbers are those in containers; CUA_CODE_OTHER stands for any other.
 * LTO code is for nvJitLink, not for drivers. */
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
    char gpu[64], driver[96]; /* names to print; "": none */
    unsigned cc;              /* the GPU's capability, 90 for 9.0; 0: not known */
    unsigned cuda;            /* the driver's CUDA, 12040 for 12.4; 0: not known */
    unsigned compiler; /* the CUDA of the driver's PTX compiler: decides which PTX it accepts */
    bool own;          /* `compiler` was read from the PTX compiler's file beside the driver */
    char refused[160]; /* why this driver does not work with this GPU; "": no reason is known */
};

/* The result for a module or a file; the worst comes last. The numbers in the names are those of
 * CUDA's errors. */
enum cua_code_end {
    CUA_CODE_SERVES,  /* it runs, or the driver compiles it; for a file: no problem was found */
    CUA_CODE_UNKNOWN, /* too little is known about GPU, driver or file */
    CUA_CODE_209,     /* no code for this GPU */
    CUA_CODE_200,     /* packed in a way that this driver cannot unpack */
    CUA_CODE_222,     /* PTX that is too new for this driver */
    /* The following are results of a file only: */
    CUA_CODE_PART, /* some modules can run, others cannot */
    CUA_CODE_100,  /* the driver does not support the GPU yet, or no longer */
    CUA_CODE_35,   /* the driver is too old for the file's CUDA */
    CUA_CODE_ENDS
};

/* The result of a file for one target. */
struct cua_code_result {
    enum cua_code_end verdict;
    unsigned long end[CUA_CODE_ENDS]; /* per result, the number of modules */
    /* How many of the modules in end[CUA_CODE_209] were probably made for other GPUs on purpose. */
    unsigned long aside;
    /* How many of `aside` are there only because all their code is for later GPUs. */
    unsigned long later;
    bool linkable; /* the file has PTX from which the driver may do the device linking again */
    /* The number of device-linked modules without code for this GPU. While the file is read,
     * end[CUA_CODE_209] counts them, too. At the end of the file they move to end[CUA_CODE_UNKNOWN]
     * if `linkable`; otherwise they stay, and `linked` becomes 0. */
    unsigned long linked;
    /* How many of `linked` are added to `aside` and to `later` if they stay. */
    unsigned long linked_aside, linked_later;
    /* This file does not serve, but another file of its group does, and the two paths differ only
     * in digits: libbitsandbytes_cuda118.so and libbitsandbytes_cuda130.so. Set by tree.c. */
    bool spare;
    /* The CUDA that a driver must have so that no module ends in 222 or 200, and the file does not
     * end in 35.
     * - CUA_CODE_LATER: a later CUDA than the tables list.
     * - 0: there are no such results. Also 0 if no other driver would help: the file does not end
     *   in 35, and more of its modules lack code for this GPU than have it. */
    unsigned needs;
};

/* What is known about a file. The caller owns and sets path, targets, count, named, listed and
 * needed. */
struct cua_code {
    const char *path; /* of the file; its name also shows whether it is a compiler or PTX */
    const struct cua_code_target *targets;
    size_t count;
    /* The user named this file: if it is neither ELF nor GPU code, that is reported. */
    bool named;
    bool listed; /* keep its entries in `list` */
    /* Called with each library that the file needs; may be NULL. */
    void (*needed)(const char *library);

    struct cua_code_result *result; /* one per target; cua_code_free() frees it, and `list` */
    /* The entries, if `listed`; there is memory for `room`. If not all could be kept, `trouble` is
     * set. */
    struct cua_code_entry *list;
    unsigned long entries, modules, room;
    /* The lowest CUDA that the runtime it needs can have. From CUDA 11 on only the major counts:
     * 12000 for any 12.x. Before that, the minor counts too: 10010 for 10.1. 0: not known. */
    unsigned runtime;
    char runtime_by[64]; /* name of the library that shows `runtime`, or a clause to print */
    /* It has a section .nv_fatbin, so it registers GPU code with a CUDA runtime, whether or not
     * `runtime` is known. */
    bool registers;
    unsigned compiler;   /* it is, or contains, a compiler of this CUDA; 0: none was found */
    bool writes_ptx;     /* a compiler that may write PTX, which the driver then compiles */
    const char *trouble; /* why a part of it is not known; NULL: nothing went wrong */
    /* Functions that the file imports and the libcuda of --libcuda lacks, joined by ", "; set by
     * tree.c. */
    char lacks[512];
};

#endif
