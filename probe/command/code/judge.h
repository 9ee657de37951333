/* SPDX-License-Identifier: Apache-2.0 */
/* Judges whether entries, modules and files (model.h) work for each target, which is a pair of GPU
 * and driver. An entry is a piece of GPU code for one compute capability. A module is a set of
 * entries, of which a driver uses one. */
#ifndef CUA_CODE_JUDGE_H
#define CUA_CODE_JUDGE_H

#include "command/code/model.h"

/* The rank of an entry is the start of its group (CUA_AS_...) plus its result (enum cua_code_end).
 * The driver uses the module's entry of the lowest rank and, if that fails, tries no other. So the
 * result of this entry is the result of the module (judge() in judge.c has one exception). LTO code
 * has no rank, because no driver uses it. */
enum {
    CUA_AS_ELF,                      /* compiled code for this GPU */
    CUA_AS_PTX = CUA_CODE_ENDS,      /* PTX that can be compiled for this GPU */
    CUA_AS_NONE = 2 * CUA_CODE_ENDS, /* not for this GPU, or that is not known */
    CUA_RANKS = 3 * CUA_CODE_ENDS
};

/* Who loads a module, and so decides whether it is used on the GPU. */
enum cua_code_owner {
    CUA_OWNER_RUNTIME, /* the CUDA runtime, on every GPU; also used for a .cubin or .ptx file */
    CUA_OWNER_LINK,    /* the CUDA runtime; the module was made by device linking */
    CUA_OWNER_LINKED,  /* nobody: it is only input of device linking */
    CUA_OWNER_PROGRAM, /* the program, maybe only on some GPUs; also used for a .fatbin file */
};

struct cua_code_module {
    struct cua_code *code;
    enum cua_code_owner owner; /* set by scan.c */
    unsigned entries, empty, exact;
    unsigned lowest, highest; /* lowest and highest capability that its entries are for */
    bool no_kernel;           /* at least one of its PTX entries contains no kernel */
    /* needs[target][rank] is 0 if the module has no entry of this rank. Else:
     * - For the results 222 and 200: the earliest CUDA of a driver that accepts one of these
     *   entries. CUA_CODE_LATER: a later CUDA than the tables list.
     * - For other results: any number but 0, without meaning. */
    unsigned (*needs)[CUA_RANKS];
};

/* Prepares `module` and code->result for a new file. False: no memory. */
bool cua_code_begin(struct cua_code_module *module, struct cua_code *code);
/* Adds an entry to the module. */
void cua_code_take(struct cua_code_module *module, const struct cua_code_entry *entry);
/* Adds the module's results to those of the file, and empties `module` for the next one. */
void cua_code_end_module(struct cua_code_module *module);
/* Sets the verdict of the file for each target, and frees module->needs. */
void cua_code_end_file(struct cua_code_module *module);

void cua_code_free(struct cua_code *code);

/* How many of a file's modules lack code for the GPU, without those that were made for other GPUs
 * on purpose. */
unsigned long cua_code_missing(const struct cua_code_result *result);

/* The row of cua_code_ptx with the newest PTX version that a compiler of this CUDA (12040 for 12.4)
 * certainly writes and accepts; {0, 0} if the CUDA is 0 or earlier than the table. */
const struct cua_code_ptx *cua_code_ptx_of(unsigned compiler);

/* Whether the compiler of this CUDA is newer than the last row of cua_code_ptx, so that its newest
 * PTX version is that row's or a later one. */
bool cua_code_ptx_later(unsigned compiler);

#endif
