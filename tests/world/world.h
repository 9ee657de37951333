/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model of the world, for asking whether the rules ever make a program worse. A world has a
 * hidden truth (which files run here, what the program needs) and what can be seen of it. It knows
 * nothing of the rules and shares no code with them; only show.c and adapter.c speak to them.
 */
#ifndef WORLD_H
#define WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_FILES = 9, MOST_GPUS = 3, MOST_BRANCHES = 24 };

enum platform { ON_LINUX, ON_WSL, ON_TEGRA };

/* How a statement is known; the words are DESIGN's. */
enum basis { BASIS_NONE, BASIS_GUESS, BASIS_DECLARED, BASIS_MEASURED };

/* What becomes of the program, worst first. It may go on without CUDA where cuInit fails. */
enum outcome { DIES /* ld.so refuses it */, FAILS, LIMITED /* 222 or 36 */, RUNS };

/* One branch of user-mode drivers on this machine's kernel driver. */
struct branch {
    unsigned number;
    /* Truth: holds for every compat build of the branch. */
    unsigned cuda;
    bool accepts;    /* this kernel driver's branch */
    uint32_t brands; /* bit n: nvmlBrandType_t n */
    unsigned least_cc;
    /* What the tables say. */
    bool in_tables; /* cuda and least_cc are known */
    enum basis list_basis;
    bool list_says;
    uint32_t brands_say; /* declared; GeForce and TITAN right */
    unsigned least_cc_says;
    /* A report of a run on this kernel driver's branch: true where there is one. */
    bool measured;
    int measured_code; /* 0, 803, 804, 209: no context */
    int measured_brand;
    unsigned measured_cc;
};

enum make { MAKE_DRIVER, MAKE_STUB, MAKE_DAMAGED, MAKE_FOREIGN };

struct file {
    /* Truth. */
    enum make make;
    enum platform made_for;
    bool compat_build;
    struct branch *branch;
    unsigned build; /* the number behind the branch's */
    unsigned cuda;
    bool companions;
    bool loads; /* the program with it: mount, libraries, functions */
    int trial;  /* what a trial of it brings: a code, or one of TRIAL_ */
    /* What is seen. */
    bool version_seen;          /* in name or content */
    const struct branch *named; /* NULL, or another one by its name: it is mounted over that file */
    unsigned named_build;
    bool compat_folder, known_folder, trusted;
    bool brought; /* lies in a store of brought drivers, in none of the folders that are searched */
    bool note, note_lists_kmd, note_has_brands;
    uint32_t note_brands;
};

enum { TRIAL_SILENT = -1, TRIAL_NOT_LOADED = -2 };

struct gpu {
    int brand;
    unsigned cc;
    bool visible, visible_later; /* when the rules look, when the program calls cuInit */
    bool brand_seen, cc_seen;    /* without NVML */
    bool brand_guessed;          /* the tables' word on the model is a guess */
    bool nvml_tells;
    int brand_shown; /* what is seen where it is */
    unsigned cc_shown;
};

enum evidence { EVIDENCE_NONE, EVIDENCE_HINT, EVIDENCE_LEAST, EVIDENCE_EXACT };

/* Worlds where something is false that the rules may take for true: regret in them is counted and
 * printed, class by class. Every world has at most one. */
enum apart {
    APART_NOT,
    APART_NOTE,     /* a file's own note is false */
    APART_DOCUMENT, /* forward compatibility on GeForce, or a dropped capability that still works */
    APART_UNHIDES,  /* the program itself changes CUDA_VISIBLE_DEVICES before cuInit */
    APART_OTHER_RUN, /* a later runtime is mapped, and the program runs by another one */
    APART_BOUND,     /* the program uses what compat drivers do not have: NVENC, graphics */
    APART_GPU,       /* a GPU's brand or compute capability is seen wrong */
    APART_LOAD,      /* a trial's process cannot load what the program can */
    APART_MPS,       /* an MPS daemon lives that is not seen */
    APARTS
};

struct world {
    uint64_t number;
    enum apart apart;
    enum platform platform;
    struct branch branch[MOST_BRANCHES];
    size_t branches;
    struct branch *kmd; /* its branch */
    unsigned kmd_build;
    bool kmd_seen;
    struct file file[MOST_FILES];
    size_t files;
    int loader;   /* whose file ld.so takes, -1: none */
    bool by_name; /* it was asked for libcuda.so.1, not for a path */
    struct gpu gpu[MOST_GPUS];
    size_t gpus;
    bool gpus_seen; /* /proc/driver/nvidia/gpus is there */
    bool mps, mps_seen;
    bool no_gpu; /* the helper is given none: NVML counts none, every driver answers 100 */
    /* The program. */
    unsigned cuda;          /* of its runtime */
    bool jit;               /* it brings PTX of its own CUDA */
    bool bound, bound_seen; /* it uses libraries of the native driver beside libcuda */
    bool graphics_seen;     /* that the container may */
    bool refused;           /* its owner says no to bundled drivers within one major */
    bool several; /* its job has a process in another container, on whose driver it relies */
    bool place;   /* processes of a container can agree; first: this one may be the first */
    bool first;
    bool part_of_gpu; /* it has a MIG instance: */
    bool part_breaks; /* on which no compat driver makes a context */
    unsigned image;   /* what the image declares where a runtime is there too; 0 nothing */
    enum evidence evidence;
    unsigned evidence_cuda;
    /* Whether trials may run here: policy, and a place to keep answers. */
    bool trials;
};

/* The world of that number: the same one each time. Those that differ in `variant` alone share the
 * kernel driver. Numbers from these on are worlds bent to where the rules have most to weigh. */
#define WORLDS_OF_HINTS (1ull << 40) /* the host's driver is taken, the image speaks of a later */
#define WORLDS_OF_RUNTIMES                                                                         \
    (2ull << 40)                        /* it is taken, and the program's runtime is a later one   \
                                         */
#define WORLDS_OF_FAILURES (3ull << 40) /* what is taken fails, and there is no native */
#define WORLDS_OF_STORES   (4ull << 40) /* it is taken, and somebody brought later ones */
void world_make(struct world *world, uint64_t number, unsigned variant);

/* Truth: what becomes of the program with a file; -1: none. `code`: how it ends, NULL to skip. */
enum outcome world_outcome(const struct world *world, int file, int *code);

/* Whether what is seen is true and enough to tell what every file does, by notes, by what is
 * declared, or by a trial; then the rules owe the best of them. */
bool world_is_told(const struct world *world);

/* Whether nothing but the files is left to tell; and whether a file's own note and NVIDIA's
 * documents tell what cuInit of it answers. */
bool world_is_clear(const struct world *world);
bool world_note_tells(const struct world *world, int file);

void world_print(const struct world *world);

#endif
