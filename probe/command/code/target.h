/* SPDX-License-Identifier: Apache-2.0 */
/* Whom GPU code is looked at for: one GPU and one driver, and what the two make of a module. Pure,
 * but for cua_code_release. */
#ifndef CUA_CODE_TARGET_H
#define CUA_CODE_TARGET_H

#include "command/code/fatbin.h"

#include <stddef.h>

struct cua_code_target {
    unsigned cc;   /* 90; 0 unknown */
    unsigned cuda; /* of the driver, 12040; 0 unknown */
    unsigned ptx;  /* newest PTX that it takes, 84; 0 unknown */
    bool ptx_sure; /* it takes no newer one: a later table row is a guess and proves nothing */
    bool compiler; /* by its own compiler, not by the tables */
};

/* How a kernel of a module ends; the numbers are CUDA's. */
enum cua_code_end {
    CUA_CODE_SERVES,  /* runs, or is compiled by the driver */
    CUA_CODE_UNKNOWN, /* GPU, driver or file tell too little */
    CUA_CODE_209,     /* nothing for this GPU */
    CUA_CODE_200,     /* packed in a way that this driver cannot unpack */
    CUA_CODE_222,     /* PTX that this driver is too old for */
    CUA_CODE_ENDS
};

/* A module, entry by entry. Zeroed: none yet. */
struct cua_code_module {
    unsigned elf, ptx;  /* bit n: an entry for this GPU that alone would end in n */
    bool other, empty;  /* a kind that nobody knows; no kernel in it */
    bool zstd;          /* among those that end in 200 */
    unsigned least_ptx; /* of the PTX for this GPU that is too new: the oldest */
};

/* From data/ptx.tsv and data/packing.tsv, ascending. */
struct cua_row_ptx {
    unsigned cuda, ptx;
    bool sure;
};
extern const struct cua_row_ptx cua_code_ptx[];
extern const size_t cua_code_ptxs;
extern const unsigned cua_code_zstd; /* the CUDA from which drivers unpack it */

/* Sets the newest PTX by the driver's compiler, of this CUDA (0: not known), else by its own. */
void cua_code_target_ptx(struct cua_code_target *target, unsigned compiler);
/* The CUDA whose drivers take this PTX; 0: later than the tables. */
unsigned cua_code_cuda_of(unsigned ptx);
unsigned cua_code_ptx_of(unsigned cuda, bool *sure);

void cua_code_add(struct cua_code_module *module, const struct cua_code_entry *entry,
                  const struct cua_code_target *target);
enum cua_code_end cua_code_end(const struct cua_code_module *module);

#endif
