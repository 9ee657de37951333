/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How worlds are made: the weights, chance, and the parts of a world. The weights were set before
 * the rules were played in the worlds, and are not fitted to them; what they lead to is printed.
 */
#ifndef MAKE_H
#define MAKE_H

#include "world.h"

/* Percent, unless it says otherwise. */
enum {
    /* The machine. */
    P_WSL = 3,
    P_TEGRA = 6,
    P_KMD_NOT_SEEN = 2,
    P_GPUS_NOT_SEEN = 5,
    P_SECOND_GPU = 25,
    P_ANOTHER_MODEL = 40, /* of a second GPU: not the first's */
    P_GPU_HIDDEN = 15,
    P_GPU_NOT_KNOWN = 8, /* brand, and on its own the compute capability */
    P_BRAND_GUESSED = 5,
    P_NVML_TELLS = 70,
    P_MPS = 4,
    P_MPS_TOO = 1, /* seen where there is none */
    P_TRIALS = 70,
    /* Which files there are. */
    P_NATIVE = 88,
    P_NATIVE_TWICE = 5,
    P_NEWER = 72,
    P_SECOND_NEWER = 25,
    P_OLDER = 18,
    P_ORDINARY_NEWER = 8, /* a newer file that is no compat build */
    P_BROUGHT = 15,       /* somebody brought drivers, one to three */
    P_STUB = 5,
    P_DAMAGED = 4,
    P_FOREIGN = 2,
    P_WRONG_PLATFORM = 3,
    /* What they are. */
    P_COMPAT_IN_FOLDER = 80,   /* a compat build lies in a folder that says so */
    P_ORDINARY_IN_FOLDER = 15, /* as much for one that is none */
    P_NOTE = 45,               /* of the compat builds */
    P_NOTE_OF_BRANDS = 90,
    P_COMPANIONS_MISSING = 6,
    P_NOT_LOADING = 6,
    P_VERSION_NOT_SEEN = 3,
    P_NAMED_OTHERWISE = 3, /* mounted over a file whose name says another version */
    P_NOT_TRUSTED = 5,
    P_ACCEPTED = 60,    /* a newer branch takes this kernel driver */
    P_BRAND_TAKEN = 85, /* of brands that are not for consumers */
    P_LISTED = 60,      /* the tables have a complete declared list of a branch */
    P_GUESSED = 15,     /* or a guess */
    P_DECLARED_WRONG = 15,
    P_GUESS_WRONG = 40,
    P_MEASURED = 20,
    /* What ld.so takes. */
    P_LOADS_NONE = 4,
    P_LOADS_NATIVE = 45, /* else any of them */
    P_BY_NAME = 90,
    /* The program. */
    P_JIT = 25,
    P_BOUND = 4,
    P_REFUSED = 20,
    P_SEVERAL = 15,
    P_PLACE = 95,
    P_FIRST = 90,
    P_EVIDENCE_EXACT = 30,
    P_EVIDENCE_LEAST = 20,
    P_EVIDENCE_HINT = 30,
    P_HINT_WRONG = 40,
    /* A trial that says nothing of the driver: a hang, or one of 2, 46, 802, 805, 999; and 100. */
    P_TRIAL_NOISE = 5,
    /* Per thousand, each class of worlds where something false is taken for true. */
    M_APART = 15,
};

/* Every world starts its own sequence; `variant`: goes on with another one. */
void chance_start(uint64_t number);
void chance_vary(unsigned variant);
unsigned below(unsigned n);
bool chance(unsigned percent);

/* The kernel driver first, then GPUs, then what the branches are and what is known of them. */
void make_kmd(struct world *world);
void make_gpus(struct world *world);
void make_branches(struct world *world);
void make_measured(struct world *world, struct branch *branch);
int any_brand(void);
unsigned any_cc(const struct world *world);

struct file *add_file(struct world *world, struct branch *branch, unsigned build);
/* Of a branch above the kernel driver's, or of its own with a higher build. */
void add_newer(struct world *world, bool compat);
void make_files(struct world *world);
void bring(struct file *file);
/* In a store, which the image knows nothing of. */
void make_brought(struct world *world);

/* nvmlBrandType_t, as bits. */
#define CONSUMER (1u << 5 | 1u << 6)

#endif
