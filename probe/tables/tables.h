/* SPDX-License-Identifier: Apache-2.0 */
/* What is known about drivers and GPUs in advance: the tables of data/, which are built in. A
 * root-owned file of the same name in /etc/cuarbiter/data replaces a table. `data` is what
 * cua_data_for (load.h) returns for a machine, or NULL for the built-in tables. No function fails:
 * what the tables do not answer is 0, NULL or "unknown" in the result.
 *
 * umd: a user-mode driver, which is a libcuda; kmd: a kernel driver. Branch: the first number of a
 * driver's version, such as 550. cuda: a CUDA version, 12040 for 12.4. cc: a compute capability, 89
 * for 8.9. Grade: how far an entry is trusted (base/grade.h). Bundled driver: a libcuda from an
 * image or a CUDA package instead of the host's; on an older kernel driver it works only by forward
 * compatibility. */
#ifndef CUA_TABLES_H
#define CUA_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/grade.h"
#include "base/version.h"

/* A brand is a value of nvmlBrandType_t in nvml.h. */
#define CUA_BRAND_UNKNOWN (-1)

#define CUA_DATA_BRANCHES 32

struct cua_row_umd {
    unsigned branch, cuda;
    enum cua_grade grade;
};
struct cua_row_forward {
    unsigned branch;
    /* True: `kmd` lists all kernel driver branches on which this user-mode branch runs; on any
     * other, cuInit fails. (For a file with an ELF note, the note counts instead.) The rules do not
     * use this: they treat a branch that `kmd` lacks as unknown in either case. */
    bool complete;
    unsigned kmd[CUA_DATA_BRANCHES]; /* ends with a 0, unless it is full */
    enum cua_grade grade;
};
struct cua_row_brands {
    /* The row applies to these branches and later ones. The last row that applies counts. */
    unsigned umd, kmd;
    uint32_t brands; /* bit n: nvmlBrandType_t n */
    enum cua_grade grade;
};
struct cua_row_cc {
    /* `cc`: the lowest capability that this branch supports, and later ones up to the next row. */
    unsigned branch, cc;
    enum cua_grade grade;
};
struct cua_row_first {
    unsigned cc, branch; /* `branch`: the first that supports this capability */
    enum cua_grade grade;
};
/* How a run of a bundled driver ended, by a report (a row of measured.tsv). cuInit checks the
 * branches first, with error 803, then the brand, with error 804. */
enum cua_run {
    CUA_RUN_803,
    CUA_RUN_804,
    CUA_RUN_CONTEXT, /* cuInit returns 0, but no context can be created */
    CUA_RUN_STARTS,  /* cuInit returns 0; whether kernels run is not known */
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
    struct cua_version released; /* the driver that was released with this CUDA */
    struct cua_version least;    /* the oldest driver that runs it */
    enum cua_grade grade;
};
/* The rows below contain their texts themselves. Pointers to texts would have to be relocated in
 * each process. */
struct cua_row_tegra {
    char version[16];
    unsigned cuda;
    enum cua_grade grade;
};
struct cua_row_model {
    char pattern[48];
    int brand;
    unsigned cc;
    enum cua_grade grade; /* grade of the brand; of `cc` if the brand is not known */
};
struct cua_row_pci {
    unsigned device;
    int8_t brand;
    uint8_t cc;
    uint8_t grade; /* an enum cua_grade, for brand or cc as in cua_row_model */
};

/* How a sign is tested. A sign is a variable of the program's environment, or a device. It speaks
 * against replacing the host's driver by a bundled one with a later minor version of the same CUDA
 * major. */
enum cua_test {
    CUA_TEST_IS, /* the variable has this value, in any letter case: it forbids bundled drivers */
    /* The variable is set and not empty: the job may use several containers or nodes, or a library
     * between program and driver. */
    CUA_TEST_SET,
    /* The variable is above this number, or above the value of another variable (above 1 if that is
     * not set): the job uses several containers or nodes. If that other variable is not set, the
     * whole job may also be in this container. */
    CUA_TEST_ABOVE,
    CUA_TEST_DEVICE, /* a device's path matches this pattern: the job may use several nodes */
};
struct cua_row_sign {
    char variable[40]; /* its name; for CUA_TEST_DEVICE a pattern such as "/dev/cxi*" */
    enum cua_test test;
    char value[40];
    enum cua_grade grade;
};

struct cua_data {
    const struct cua_row_umd *umd;
    const struct cua_row_forward *forward;
    const struct cua_row_brands *brands;
    const struct cua_row_cc *cc;
    const struct cua_row_first *first;
    const struct cua_row_measured *measured;
    const struct cua_row_toolkit *toolkit;
    const struct cua_row_tegra *tegra;
    const struct cua_row_model *model;
    const struct cua_row_pci *pci;
    const struct cua_row_sign *sign;
    size_t umds, forwards, brandses, ccs, firsts, measureds, toolkits, tegras, models, pcis, signs;
    char date[16];
    char replaced[128]; /* the files that replaced built-in tables, joined by blanks; "": none */
    char trouble[160];  /* a file that was rejected, and why; "": none */
};

extern const struct cua_data cua_data_builtin;

/* The highest user-mode driver branch that the tables know. */
unsigned cua_data_newest_branch(const struct cua_data *data);

/* The CUDA of a driver version, 12040 for 550.54.14; 0 if its branch is not in the table. */
unsigned cua_data_umd_cuda(const struct cua_data *data, const struct cua_version *umd);

/* The CUDA of Tegra's own driver, found by the kernel module's version; 0: not known. */
unsigned cua_data_tegra_cuda(const struct cua_data *data, const struct cua_version *kmd);

/* The row of forward.tsv for a user-mode driver branch; NULL if there is none. */
const struct cua_row_forward *cua_data_forward(const struct cua_data *data, unsigned umd_branch);
/* The brands that support forward compatibility with this pair of branches: bit n is
 * nvmlBrandType_t n. 0: not known. */
uint32_t cua_data_brands(const struct cua_data *data, unsigned umd_branch, unsigned kmd_branch);
/* The lowest compute capability that a user-mode driver branch supports. 0: not known, because the
 * branch is newer than umd.tsv, or older than every row of min-cc.tsv. */
unsigned cua_data_min_cc(const struct cua_data *data, unsigned umd_branch);
/* The first driver branch that knows a compute capability; 0: the capability is not in the
 * table. */
unsigned cua_data_first_branch(const struct cua_data *data, unsigned cc);
/* Looks up in measured.tsv whether a condition for `run` holds. Does not read run->end. The grade
 * of the answer is "measured". CUA_WORKS_UNKNOWN: no report shows it, or reports contradict each
 * other. The conditions:
 * - CUA_ON_BRANCH: the user-mode branch works on the branch of the kernel driver.
 * - CUA_ON_BRAND: this pair of branches works on the brand.
 * - CUA_ON_CC: the user-mode branch works on the compute capability. */
enum cua_condition { CUA_ON_BRANCH, CUA_ON_BRAND, CUA_ON_CC };
enum cua_works cua_data_ran(const struct cua_data *data, enum cua_condition on,
                            const struct cua_row_measured *run);

/* The row of the CUDA toolkit version `cuda`, which shows the driver that it needs. If this version
 * has no row, returns the last earlier row of the same major. If no row is earlier, returns the
 * first row of that major. NULL if the major has no row. */
const struct cua_row_toolkit *cua_data_toolkit(const struct cua_data *data, unsigned cuda);

/* What the tables know about a GPU, found by its name ("NVIDIA A100-SXM4-80GB", "GRID T4-8C") or by
 * its PCI device ID. */
struct cua_known {
    int brand;            /* CUA_BRAND_UNKNOWN: not known */
    unsigned cc;          /* 0: not known */
    enum cua_grade grade; /* grade of the brand */
};
struct cua_known cua_data_gpu_by_model(const struct cua_data *data, const char *model);
struct cua_known cua_data_gpu_by_pci(const struct cua_data *data, unsigned device);

/* The name of a brand, such as "nvidia-rtx" for 13; "unknown" for a number without one. */
const char *cua_brand_name(int brand);
/* The brand that has this name; CUA_BRAND_UNKNOWN if there is none. */
int cua_brand_find(const char *name);

#endif
