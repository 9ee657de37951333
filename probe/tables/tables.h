/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of drivers and GPUs beforehand: the tables of data/, built in, each of which a
 * root-owned file of the same name in /etc/cuarbiter/data replaces. Every function takes the data
 * of a machine, NULL for what is built in, and never fails: what the tables do not have is 0,
 * false or NULL. */
#ifndef CUA_TABLES_H
#define CUA_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/grade.h"
#include "base/version.h"

/* nvmlBrandType_t of nvml.h; the numbers are NVIDIA's. */
#define CUA_BRAND_UNKNOWN (-1)

#define CUA_DATA_BRANCHES 32

struct cua_row_umd {
    unsigned branch, cuda;
    enum cua_grade grade;
};
struct cua_row_forward {
    unsigned branch;
    bool complete; /* a kernel driver branch that is not here is refused, not unknown */
    unsigned kmd[CUA_DATA_BRANCHES]; /* ends at the first 0, or is full */
    enum cua_grade grade;
};
struct cua_row_brands {
    unsigned umd, kmd; /* from these branches on */
    uint32_t brands;   /* bit n: nvmlBrandType_t n */
    enum cua_grade grade;
};
struct cua_row_cc {
    unsigned branch, cc; /* from this branch on */
    enum cua_grade grade;
};
/* How a bundled driver's run ended; cuInit looks at the branches first, then at the brand. */
enum cua_run {
    CUA_RUN_803,
    CUA_RUN_804,
    CUA_RUN_CONTEXT, /* cuInit answers 0, a context cannot be made */
    CUA_RUN_STARTS,  /* cuInit answers 0 */
    CUA_RUN_RUNS,
};
struct cua_row_measured {
    unsigned umd, kmd;
    int brand;
    unsigned cc;
    enum cua_run end;
};
struct cua_row_toolkit {
    unsigned cuda;
    struct cua_version released; /* the driver that came with it */
    struct cua_version least;    /* the oldest that runs it */
    enum cua_grade grade;
};
/* Texts lie in their rows: pointers would be relocated in every process that loads the engine. */
struct cua_row_tegra {
    char version[16];
    unsigned cuda;
    enum cua_grade grade;
};
struct cua_row_model {
    char pattern[48];
    int brand;
    unsigned cc;
    enum cua_grade grade; /* of the brand; where it is unknown, of cc */
};
struct cua_row_pci {
    unsigned device;
    int8_t brand;
    uint8_t cc;
    uint8_t grade; /* enum cua_grade, as a model's */
};

struct cua_data {
    const struct cua_row_umd *umd;
    const struct cua_row_forward *forward;
    const struct cua_row_brands *brands;
    const struct cua_row_cc *cc;
    const struct cua_row_measured *measured;
    const struct cua_row_toolkit *toolkit;
    const struct cua_row_tegra *tegra;
    const struct cua_row_model *model;
    const struct cua_row_pci *pci;
    size_t umds, forwards, brandses, ccs, measureds, toolkits, tegras, models, pcis;
    char date[16];
    char replaced[128]; /* names of the tables that came from files; "" */
    char trouble[160];  /* a file that was not taken, and why; "" */
};

extern const struct cua_data cua_data_builtin;

/* The highest user-mode driver branch that the tables know. */
unsigned cua_data_newest_branch(const struct cua_data *data);

/* 12040 for 550.54.14; 0 where the branch is not in the table. */
unsigned cua_data_umd_cuda(const struct cua_data *data, const struct cua_version *umd);

/* The same of Tegra's own driver, by the kernel module's version; 0 unknown. */
unsigned cua_data_tegra_cuda(const struct cua_data *data, const struct cua_version *kmd);

/* The row of a user-mode branch, NULL if there is none. */
const struct cua_row_forward *cua_data_forward(const struct cua_data *data, unsigned umd_branch);
/* Bits of the brands that forward compatibility is open to. */
uint32_t cua_data_brands(const struct cua_data *data, unsigned umd_branch, unsigned kmd_branch);
/* The lowest compute capability that a user-mode branch supports; 0 unknown: newer than the
 * tables. */
unsigned cua_data_min_cc(const struct cua_data *data, unsigned umd_branch);
/* What reports of runs like `run` tell of one condition: the branches, the brand with these
 * branches, the capability with this user-mode branch. Unknown where two of them differ. A report's
 * grade is measured. */
enum cua_condition { CUA_ON_BRANCH, CUA_ON_BRAND, CUA_ON_CC };
enum cua_works cua_data_ran(const struct cua_data *data, enum cua_condition on,
                            const struct cua_row_measured *run);

/* What a toolkit needs. For one that the table does not have, the last row of its major version;
 * NULL if there is none. */
const struct cua_row_toolkit *cua_data_toolkit(const struct cua_data *data, unsigned cuda);

/* A GPU by its name ("NVIDIA A100-SXM4-80GB", "GRID T4-8C") or by its PCI device id. */
struct cua_known {
    int brand;            /* or CUA_BRAND_UNKNOWN */
    unsigned cc;          /* 0 unknown */
    enum cua_grade grade; /* of the brand */
};
struct cua_known cua_data_gpu_by_model(const struct cua_data *data, const char *model);
struct cua_known cua_data_gpu_by_pci(const struct cua_data *data, unsigned device);

/* "nvidia-rtx" for 13; "unknown". */
const char *cua_brand_name(int brand);
/* The other way round; CUA_BRAND_UNKNOWN. */
int cua_brand_find(const char *name);

#endif
