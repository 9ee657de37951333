/* SPDX-License-Identifier: Apache-2.0 */
/* Facts: what is known so far of the machine, the drivers and the program. Plain data: gatherers
 * write it, the rules only read it. `asked` says which facts were asked for; of those that were
 * not nothing is known, and of those that were, unknown is a value of its own. */
#ifndef CUA_FACTS_H
#define CUA_FACTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Without it uthash ends the process when memory does; hh.tbl is NULL where an add failed. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "cuarbiter/reasons.h"
#include "base/version.h"
#include "elf/compat_note.h"
#include "tables/tables.h"

/* What can be asked for. */
enum cua_fact {
    CUA_FACT_NOTHING,
    CUA_FACT_KMD,
    CUA_FACT_LOADER,  /* the loader's choice, and the file that CUARBITER_LIBCUDA names */
    CUA_FACT_TOOLKIT, /* the program's CUDA, and what keeps it to the native driver */
    CUA_FACT_TABLES,  /* data, and with it the CUDA of each UMD */
    CUA_FACT_NATIVE,  /* the native UMD; makes sure of a doubtful version of the loader's choice */
    CUA_FACT_UMDS,    /* every other candidate */
    CUA_FACT_GPUS,
    CUA_FACT_MPS,
    CUA_FACT_TRIAL, /* what the helper answers: NVML, and cuInit of the verdict's `trial` */
    CUA_FACT_LOADS, /* whether the verdict's first `trial` loads in the place of the loader's choice
                     */
    CUA_FACTS
};

enum cua_platform {
    CUA_PLATFORM_NONE,  /* no NVIDIA kernel driver */
    CUA_PLATFORM_LINUX, /* nvidia.ko, proprietary or open */
    CUA_PLATFORM_WSL,   /* /dev/dxg */
    CUA_PLATFORM_TEGRA, /* nvgpu or an L4T build: the version is not a driver branch */
};

enum cua_kmd_flavour { CUA_KMD_PROPRIETARY, CUA_KMD_OPEN };

struct cua_kmd {
    enum cua_platform platform;
    struct cua_version version; /* unknown on WSL; meaningless as a branch on Tegra */
    enum cua_kmd_flavour flavour;
    char source[64];   /* the file or query it comes from, for `status`; "--kmd" */
    char trouble[160]; /* why the version is not known; "" */
};

enum cua_umd_state {
    CUA_UMD_USABLE,
    CUA_UMD_STUB,
    CUA_UMD_DAMAGED,
    CUA_UMD_ARCH,
    CUA_UMD_UNREADABLE,
    CUA_UMD_FOREIGN, /* a libcuda of another maker: exports cuInit, is none of NVIDIA's */
};

/* Where a UMD was found; it may have been found in several ways. */
enum cua_found {
    CUA_FOUND_LIBRARY_PATH = 1 << 0,
    CUA_FOUND_CACHE = 1 << 1,
    CUA_FOUND_DEFAULT = 1 << 2,
    CUA_FOUND_WELL_KNOWN = 1 << 3,
    CUA_FOUND_COMPAT = 1 << 4, /* a compat folder of a CUDA toolkit, conda or NGC */
    CUA_FOUND_MOUNT = 1 << 5,  /* bind-mounted on its own: what a container runtime injects */
    CUA_FOUND_MAPPED = 1 << 6, /* mapped in the process already */
    CUA_FOUND_NAMED = 1 << 7,  /* CUARBITER_LIBCUDA or a command line */
};

struct cua_umd_key {
    dev_t dev;
    ino_t ino;
};

static inline struct cua_umd_key cua_umd_key_of(const struct stat *st)
{
    return (struct cua_umd_key){st->st_dev, st->st_ino};
}

/* One libcuda file; several names may lead to it. */
struct cua_umd {
    struct cua_umd_key key;
    char *path;     /* as the judged process would name it, without links */
    char *real;     /* what this process can open: the sysroot before it */
    unsigned found; /* enum cua_found, or'ed */
    enum cua_umd_state state;
    char trouble[160]; /* why it is not usable; "" */
    /* In the place of the loader's choice, for the program that asks. */
    enum { CUA_LOADS_UNASKED, CUA_LOADS_YES, CUA_LOADS_NO } loads;
    char obstacle[160]; /* why it does not; "" */
    bool trusted;
    char *distrust; /* the file or folder that breaks trust; NULL where none does; owned */
    struct cua_version version;
    bool version_from_content;
    bool glanced;          /* native by its name and of a driver's size: nothing else was read */
    bool version_doubtful; /* by the name of a place that another file was mounted over */
    unsigned cuda;         /* 12040; from the note, else the data; 0 unknown */
    struct cua_note note;
    bool companions;  /* its ptxjitcompiler (and nvvm from the branch that has one) of the same
                         version lies beside it */
    char missing[64]; /* the companion that is not there; "" */
    bool tegra;       /* libcuda.so.1.1, or under a tegra/ or nvidia/ folder of L4T */
    /* A trial's answer, if there was one. */
    enum { CUA_TRIAL_NONE, CUA_TRIAL_ANSWERED, CUA_TRIAL_SILENT } tried;
#define CUA_TRIAL_NOT_LOADED (-1)
    int trial_code; /* cuInit's, when answered; or that it does not load where native does */
    UT_hash_handle hh;
};

struct cua_gpu {
    char model[96];  /* "NVIDIA GeForce RTX 4090"; "" unknown */
    char uuid[48];   /* "GPU-..."; "" unknown */
    char pci[16];    /* "0000:01:00.0"; "" unknown */
    unsigned device; /* PCI device id, 0 unknown */
    int brand;       /* nvmlBrandType_t or CUA_BRAND_UNKNOWN */
    bool guessed;    /* the brand, by the model's name: it decides nothing */
    unsigned cc;     /* 89 for 8.9; 0 unknown */
    int minor;       /* of /dev/nvidiaN; -1 unknown */
    bool excluded;   /* by the kernel driver's settings */
    bool visible;    /* this process may see it */
    char source[16]; /* of brand and cc: "model", "pci", "nvml", "trial", "--gpu" */
};

/* What is known of the CUDA that the program needs, the better evidence last. */
enum cua_toolkit_kind {
    CUA_TOOLKIT_NONE,  /* nothing: a static cudart, say */
    CUA_TOOLKIT_HINT,  /* the image's word, not the program's: CUDA_VERSION, version.json */
    CUA_TOOLKIT_LEAST, /* this major, at least this minor: a libcudart.so.12 is some 12.x */
    CUA_TOOLKIT_EXACT, /* a runtime with its whole version that is mapped or is being loaded */
};

/*
 * Of several runtimes the lowest decides what answers 35, for nobody knows whether the program ever
 * calls a plugin's later one: a driver gets "no" only where its CUDA is of an earlier major
 * than `cuda`, before 11 also of an earlier minor. A compiler (nvrtc, nvJitLink) answers no 35 and
 * does not count. A hint counts where no runtime is known. */
struct cua_toolkit {
    enum cua_toolkit_kind kind; /* of `cuda` */
    unsigned cuda;   /* of the lowest runtime, else the hint; 12040; LEAST: 12000; 0 unknown */
    char source[96]; /* of `cuda`: "libcudart.so.12.4.127", "CUDA_VERSION", a file's path */
};

struct cua_facts {
    bool asked[CUA_FACTS];
    const struct cua_data *data; /* tables.h; NULL: what is built in */
    struct cua_kmd kmd;
    struct cua_umd *umds;         /* uthash by key, in order of discovery; owned */
    const struct cua_umd *loader; /* what ld.so alone would take; NULL: nothing */
    bool by_name;                 /* the loader was asked for a name, not for a path */
    const struct cua_umd *native; /* native.h; NULL: there is none */
    struct cua_gpu *gpus;         /* owned */
    size_t gpu_count;
    bool gpus_known;    /* the list is complete */
    bool gpus_none;     /* NVML of the native driver counts none: nothing to gain by another UMD */
    size_t gpus_closed; /* GPUs left out, because this process cannot open their device nodes */
    char visible_note[200]; /* how CUDA_VISIBLE_DEVICES was read, in words */
    struct cua_toolkit toolkit;
    bool bound; /* a KMD-bound library that shares contexts with libcuda is or will be mapped */
    bool mps;   /* a live MPS daemon */
    char untried[64]; /* why a trial that was asked for did not take place; "" */
};

/* NULL: no file of that key is among the candidates. */
struct cua_umd *cua_facts_umd(const struct cua_facts *facts, const struct cua_umd_key *key);

/* The folder that the UMD lies in, of `real`; buf has PATH_MAX bytes. Returns buf. */
const char *cua_umd_folder(const struct cua_umd *umd, char *buf);

void cua_facts_free(struct cua_facts *facts);

#endif
