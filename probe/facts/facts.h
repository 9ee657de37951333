/* SPDX-License-Identifier: Apache-2.0 */
/* Facts: what is known so far about the machine, the drivers and the program. Plain data: the
 * functions that gather facts write it, the rules only read it. `asked` records which facts have
 * been gathered. The fields of a fact that has not been gathered mean nothing; those of a gathered
 * fact may have the value "not known".
 *
 * A UMD is a user-mode driver: a libcuda file. The native UMD is the kernel driver's own
 * (native.h). A bundled driver is part of the image; a brought one was stored by `cuarbiter driver
 * add`. A companion is a library that libcuda opens itself, such as the PTX compiler. A trial is a
 * call of cuInit in a child process. A note is the ELF note that NVIDIA's compat builds have. */
#ifndef CUA_FACTS_H
#define CUA_FACTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Without this macro, uthash ends the process if there is no memory. With it, hh.tbl is NULL after
 * an element could not be added. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "cuarbiter/reasons.h"
#include "base/version.h"
#include "elf/compat_note.h"
#include "tables/tables.h"

/* The facts that the rules can ask for. */
enum cua_fact {
    CUA_FACT_NOTHING,
    CUA_FACT_KMD,
    /* The file that ld.so alone would take, and the file that CUARBITER_LIBCUDA names. */
    CUA_FACT_LOADER,
    /* The CUDA that the program needs; also `bound` and `decoder` of struct cua_facts. */
    CUA_FACT_TOOLKIT,
    /* The tables (`data`). They also give `cuda` of each UMD that has no note. */
    CUA_FACT_TABLES,
    CUA_FACT_NATIVE, /* the native UMD; also settles loader->version_doubtful */
    CUA_FACT_UMDS,   /* all other libcuda files that could be used */
    CUA_FACT_GPUS,
    CUA_FACT_MPS,
    CUA_FACT_CIRCUMSTANCES, /* see circumstances.h */
    CUA_FACT_AGREED,        /* what the container's processes have agreed on: see decide/agreed.h */
    /* The brought drivers; they are not part of CUA_FACT_UMDS. */
    CUA_FACT_BROUGHT,
    /* What trials have found out: the GPUs by NVML, and the result of cuInit for each file in the
     * verdict's `trial` (rules/verdict.h). */
    CUA_FACT_TRIAL,
    /* Whether the first file in the verdict's `trial` would load in place of `loader`. */
    CUA_FACT_LOADS,
    CUA_FACTS
};

enum cua_platform {
    CUA_PLATFORM_NONE,  /* no NVIDIA kernel driver */
    CUA_PLATFORM_LINUX, /* nvidia.ko, proprietary or open */
    CUA_PLATFORM_WSL,   /* Windows' driver: there is /dev/dxg, but no nvidia.ko */
    CUA_PLATFORM_TEGRA, /* nvgpu, or L4T's nvidia.ko */
};

enum cua_kmd_flavour { CUA_KMD_PROPRIETARY, CUA_KMD_OPEN };

struct cua_kmd {
    enum cua_platform platform;
    struct cua_version version; /* always unknown on WSL; on Tegra part[0] is not a branch */
    enum cua_kmd_flavour flavour;
    /* Where the version or platform comes from, for `status`: a file, a device, "nvgpu",
     * "--kmd". */
    char source[64];
    char trouble[176]; /* why the version could not be found out; "" otherwise */
};

enum cua_umd_state {
    CUA_UMD_USABLE,
    CUA_UMD_STUB,
    CUA_UMD_DAMAGED,
    CUA_UMD_ARCH,
    CUA_UMD_UNREADABLE,
    CUA_UMD_FOREIGN, /* another maker's libcuda: it exports cuInit but is not NVIDIA's */
};

/* How a UMD was found. A UMD may be found in several ways. */
enum cua_found {
    CUA_FOUND_LIBRARY_PATH = 1 << 0,
    CUA_FOUND_CACHE = 1 << 1,
    CUA_FOUND_DEFAULT = 1 << 2,
    CUA_FOUND_WELL_KNOWN = 1 << 3,
    CUA_FOUND_COMPAT = 1 << 4, /* a compat folder of a CUDA toolkit, conda or NGC */
    /* bind-mounted, by itself or with its folder, as container runtimes do */
    CUA_FOUND_MOUNT = 1 << 5,
    CUA_FOUND_MAPPED = 1 << 6, /* mapped in the examined process already */
    CUA_FOUND_NAMED = 1 << 7,  /* named by CUARBITER_LIBCUDA or on the command line */
    /* Found only in a store of brought drivers (drivers/store.h): no other bit is set. */
    CUA_FOUND_BROUGHT = 1 << 8,
};

struct cua_umd_key {
    dev_t dev;
    ino_t ino;
};

static inline struct cua_umd_key cua_umd_key_of(const struct stat *st)
{
    return (struct cua_umd_key){st->st_dev, st->st_ino};
}

/* A result of `cuarbiter driver try`: whether a CUDA kernel ran with a UMD under this kernel driver
 * (`kmd`), on a GPU of this model. */
struct cua_kernel_run {
    struct cua_version kmd;
    unsigned cc;
    bool runs;
    char model[96];
};

#define CUA_RUNS_MOST 64

/* One libcuda file. It may have several names. */
struct cua_umd {
    struct cua_umd_key key;
    char *path; /* the path for the examined process, without links; of a broken link: its own */
    char *real; /* the path for this process: `path` below the sysroot */
    unsigned found; /* bits of enum cua_found */
    enum cua_umd_state state;
    char trouble[160]; /* why the file is not usable; "" if it is */
    /* Whether the file would load in place of the file that ld.so would take, for the program that
     * asks. */
    enum { CUA_LOADS_UNASKED, CUA_LOADS_YES, CUA_LOADS_NO } loads;
    char obstacle[151]; /* why the file would not load; "" if it would */
    bool trusted;
    /* What makes the UMD untrusted: the path of a file or folder that others may change, or a
     * phrase such as "a relative folder in LD_LIBRARY_PATH"; NULL if the UMD is trusted; owned. */
    char *distrust;
    struct cua_version version;
    bool version_from_content;
    /* Only the name, the size and at most the ELF header of the file were checked. The name has the
     * kernel driver's version. */
    bool glanced;
    /* `version` is from the file's name, but a file of another version may be mounted over it. */
    bool version_doubtful;
    /* The CUDA version that the UMD supports: 12040 for 12.4; 0: not known. It is from the note or,
     * without one, from the tables. */
    unsigned cuda;
    struct cua_note note;
    /* The companions that the UMD needs to compile PTX lie beside it in the same version. Also true
     * if not checked: if the UMD is Tegra's, not usable, `glanced`, or of unknown version. */
    bool companions;
    char missing[64]; /* the companion that is missing; "": none */
    bool tegra;       /* its file name or SONAME is libcuda.so.1.1 */
    /* CUA_TRIAL_SILENT: a trial of this UMD was asked for, but it gave no answer or did not take
     * place (`untried`). */
    enum { CUA_TRIAL_NONE, CUA_TRIAL_ANSWERED, CUA_TRIAL_SILENT } tried;
    /* The rules asked for a trial of this UMD, but it did not take place: `untried` of struct
     * cua_facts says why. */
    bool untried;
/* The file did not load, no library that it needs was missing, and the native UMD loaded in the
 * same run. */
#define CUA_TRIAL_NOT_LOADED (-1)
    /* Valid if `tried` is CUA_TRIAL_ANSWERED: cuInit's result, or CUA_TRIAL_NOT_LOADED. */
    int trial_code;
    /* Only for a brought UMD: results of `cuarbiter driver try` on this machine and on others;
     * owned. */
    struct cua_kernel_run *runs;
    size_t run_count;
    UT_hash_handle hh;
};

/* Whether the UMD was found only among the brought drivers. A file that is found in another way too
 * is treated like any other. */
static inline bool cua_is_brought(const struct cua_umd *umd)
{
    return umd->found & CUA_FOUND_BROUGHT;
}

struct cua_gpu {
    char model[96];  /* such as "NVIDIA GeForce RTX 4090"; "": not known */
    char uuid[48];   /* such as "GPU-..."; "": not known */
    char pci[16];    /* such as "0000:01:00.0"; "": not known */
    unsigned device; /* PCI device ID; 0: not known */
    int brand;       /* nvmlBrandType_t or CUA_BRAND_UNKNOWN */
    bool guessed;    /* the tables only guess the brand, so the brand decides nothing */
    unsigned cc;     /* compute capability: 89 for 8.9; 0: not known */
    int minor;       /* N of /dev/nvidiaN; -1: not known */
    bool excluded;   /* the kernel driver's settings exclude it */
    bool visible;    /* CUDA_VISIBLE_DEVICES is not known to hide it */
    /* Where brand and cc come from: "model", "pci", "model, pci", "nvml", "trial", "--gpu",
     * "--cc". */
    char source[16];
};

/* How the CUDA that the program needs is known. Better evidence has a higher value. */
enum cua_toolkit_kind {
    CUA_TOOLKIT_NONE, /* nothing is known; cudart may be linked statically */
    CUA_TOOLKIT_HINT, /* the image declares it, not the program: CUDA_VERSION, version.json */
    /* Only the major is known: libcudart.so.12 may be any 12.x, so `cuda` is 12.0, the least. */
    CUA_TOOLKIT_LEAST,
    CUA_TOOLKIT_EXACT, /* a runtime that is mapped or being loaded shows its whole version */
};

/* The CUDA that the program needs. Of several runtimes the lowest counts, because a plugin's later
 * runtime may never be called. From CUDA 11 on, only a driver of an earlier major is certainly too
 * old (error 35). Before 11, a driver of an earlier minor is too old, too. */
struct cua_toolkit {
    enum cua_toolkit_kind kind; /* how `cuda` is known */
    /* The CUDA of the lowest runtime, else of the hint: 12040 for 12.4; 12000 if only the major is
     * known; 0: not known. */
    unsigned cuda;
    /* Where `cuda` comes from: "libcudart.so.12.4.127", "CUDA_VERSION", a file's path. */
    char source[96];
    /* The CUDA of the lowest compiler (nvrtc, nvJitLink, nvvm) whose whole version is known; 0:
     * none. A compiler never returns 35, but its output may be too new for the driver. */
    unsigned compiler;
    /* The CUDA that the image declares; 0: none. It is from CUDA_VERSION. If that and all runtimes
     * are missing, it is from version.json. */
    unsigned image;
};

/* Circumstances in which another driver must not replace a host's driver that works. `mig` and
 * `confidential` always count. The others count only for a bundled driver, if the program's CUDA
 * has the same major as the host driver's; with CUARBITER_MINOR=yes, of these only `graphics`. */
struct cua_circumstances {
    bool mig;          /* a GPU is, or may be, a MIG instance: a part of a GPU */
    bool confidential; /* a confidential virtual machine: it is not known what its GPU allows */
    bool graphics;     /* the program may use the host driver's OpenGL, Vulkan or display */
    char refusal[84];  /* the setting that forbids a bundled driver, such as a variable; "": none */
    /* The sign that the job may use several containers or nodes, or that a layer below the program
     * (HAMi, gVisor) works only with the host's driver; "": there is none. */
    char several[84];
    bool unsure; /* `several` is only a number of ranks, which may all be in this container */
};

/* On which driver the container's processes have agreed (decide/agreed.h). */
struct cua_agreed {
    enum {
        CUA_AGREED_NOTHING, /* nothing is agreed yet; this process may be the first */
        CUA_AGREED_NATIVE,
        CUA_AGREED_FILE,
    } what;
    struct cua_umd_key file;
};

struct cua_facts {
    bool asked[CUA_FACTS];
    /* The facts are not about libcuda, but about another library of the driver, and `umds` are the
     * files of that library (drivers/part.h). */
    bool part;
    const struct cua_data *data; /* the tables (tables.h); NULL: the built-in ones */
    struct cua_kmd kmd;
    struct cua_umd *umds;         /* hash table by `key` (uthash), in order of discovery; owned */
    const struct cua_umd *loader; /* the file that ld.so would take by itself; NULL: none */
    bool by_name;                 /* libcuda is asked for by name, not by a path */
    const struct cua_umd *native; /* the native UMD (native.h); NULL: there is none */
    struct cua_gpu *gpus;         /* the GPUs that the process may use; owned */
    size_t gpu_count;
    bool gpus_known; /* `gpus` is complete */
    bool gpus_none;  /* the host driver's NVML counts no GPU, so no other UMD would help */
    /* Number of GPUs left out because this process cannot open their device nodes. */
    size_t gpus_closed;
    char visible_note[200]; /* what CUDA_VISIBLE_DEVICES makes visible, as a sentence */
    struct cua_toolkit toolkit;
    /* A library that uses libcuda's CUDA contexts is mapped or about to be. It must have the kernel
     * driver's version. */
    bool bound;
    /* A library that may use the host driver's video decoder is mapped or about to be. */
    bool decoder;
    bool mps; /* an MPS daemon is running */
    struct cua_circumstances circumstances;
    struct cua_agreed agreed;
    char untried[104]; /* why a trial that was asked for did not take place; "" otherwise */
};

/* Returns the UMD with this key; NULL if there is none. */
struct cua_umd *cua_facts_umd(const struct cua_facts *facts, const struct cua_umd_key *key);

/* Writes the folder of umd->real to `buf` (PATH_MAX bytes); "" if that path has no slash. Returns
 * `buf`. */
const char *cua_umd_folder(const struct cua_umd *umd, char *buf);

void cua_facts_free(struct cua_facts *facts);

#endif
