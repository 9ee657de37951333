/* SPDX-License-Identifier: Apache-2.0 */
/* The machine of a world: chance, kernel driver, GPUs, and the branches of user-mode drivers. */
#include "make.h"

/* Branch, CUDA, least compute capability; the last ones are above what
 * NVIDIA will release. */
static const struct {
    unsigned number, cuda, least_cc;
    bool in_tables;
} branches[] = {
    {418, 10010, 30, true},  {440, 10020, 30, true},  {450, 11000, 30, true},
    {470, 11040, 30, true},  {510, 11060, 50, true},  {520, 11080, 50, true},
    {525, 12000, 50, true},  {535, 12020, 50, true},  {545, 12030, 50, true},
    {550, 12040, 50, true},  {565, 12070, 50, true},  {570, 12080, 50, true},
    {575, 12090, 50, true},  {580, 13000, 50, true},  {590, 13010, 75, true},
    {595, 13020, 75, true},  {615, 13040, 75, true},  {990, 13050, 75, false},
    {993, 14000, 80, false}, {996, 14010, 80, false},
};
enum { BRANCHES = sizeof(branches) / sizeof(branches[0]), NEWEST_KMD = 17 };

/* Tesla, NVIDIA, NVIDIA RTX, Quadro RTX, Quadro, vGPU, GeForce, TITAN: how often, of 100. */
static const struct {
    int brand, often;
} brands[] = {{2, 15}, {14, 30}, {13, 8}, {12, 4}, {1, 3}, {9, 5}, {5, 31}, {6, 4}};
static const unsigned ccs[] = {37, 52, 60, 61, 70, 75, 80, 86, 89, 90, 100, 120};

static uint64_t state;

static uint64_t next(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

unsigned below(unsigned n)
{
    return (unsigned)(next() % n);
}

bool chance(unsigned percent)
{
    return below(100) < percent;
}

void chance_start(uint64_t number)
{
    state = number * 0x2545f4914f6cdd1du + 1;
}

void chance_vary(unsigned variant)
{
    state += variant * 0x632be59bd9b4e019u;
}

int any_brand(void)
{
    int left = (int)below(100);

    for (size_t i = 0;; i++)
        if ((left -= brands[i].often) < 0)
            return brands[i].brand;
}

static uint32_t some_brands(void)
{
    uint32_t mask = 0;

    for (size_t i = 0; i < sizeof(brands) / sizeof(brands[0]); i++)
        if (!(CONSUMER >> brands[i].brand & 1) && chance(P_BRAND_TAKEN))
            mask |= 1u << brands[i].brand;
    return mask;
}

void make_measured(struct world *world, struct branch *branch)
{
    const struct gpu *gpu = &world->gpu[below((unsigned)world->gpus)];

    branch->measured = chance(P_MEASURED);
    branch->measured_brand = gpu->brand;
    branch->measured_cc = gpu->cc;
    branch->measured_code = !branch->accepts                      ? 803
                            : !(branch->brands >> gpu->brand & 1) ? 804
                            : branch->least_cc > gpu->cc          ? 209
                                                                  : 0;
}

void make_branches(struct world *world)
{
    for (size_t i = 0; i < BRANCHES; i++) {
        struct branch *branch = &world->branch[i];
        bool own;
        *branch = (struct branch){.number = branches[i].number,
                                  .cuda = branches[i].cuda,
                                  .least_cc = branches[i].least_cc,
                                  .least_cc_says = branches[i].least_cc,
                                  .in_tables = branches[i].in_tables,
                                  .brands = some_brands(),
                                  .brands_say = some_brands()};
        own = branch == world->kmd;
        branch->accepts = own || chance(P_ACCEPTED);
        if (!chance(P_DECLARED_WRONG))
            branch->brands_say = branch->brands;
        if (branch->in_tables)
            branch->list_basis = chance(P_LISTED)                             ? BASIS_DECLARED
                                 : chance(P_GUESSED * 100 / (100 - P_LISTED)) ? BASIS_GUESS
                                                                              : BASIS_NONE;
        branch->list_says =
            own || branch->accepts !=
                       chance(branch->list_basis == BASIS_GUESS ? P_GUESS_WRONG : P_DECLARED_WRONG);
        make_measured(world, branch);
    }
}

unsigned any_cc(const struct world *world)
{
    unsigned cc;

    /* A GPU that the kernel driver does not know is none. */
    do
        cc = ccs[below(sizeof(ccs) / sizeof(ccs[0]))];
    while (cc < world->kmd->least_cc);
    return cc;
}

void make_gpus(struct world *world)
{
    world->gpus = chance(P_SECOND_GPU) ? 2 : 1;
    world->gpus_seen = !chance(P_GPUS_NOT_SEEN);
    for (size_t i = 0; i < world->gpus; i++) {
        struct gpu *gpu = &world->gpu[i];
        if (i == 0 || chance(P_ANOTHER_MODEL)) {
            gpu->brand = any_brand();
            gpu->cc = any_cc(world);
        } else {
            *gpu = world->gpu[0];
        }
        gpu->brand_seen = !chance(P_GPU_NOT_KNOWN);
        gpu->cc_seen = !chance(P_GPU_NOT_KNOWN);
        gpu->nvml_tells = chance(P_NVML_TELLS);
        gpu->visible = i == 0 || !chance(P_GPU_HIDDEN);
        gpu->visible_later = gpu->visible;
        gpu->brand_shown = gpu->brand;
        gpu->cc_shown = gpu->cc;
        gpu->brand_guessed = chance(P_BRAND_GUESSED);
        if (gpu->brand_guessed && chance(P_GUESS_WRONG))
            gpu->brand_shown = any_brand();
    }
}

void make_kmd(struct world *world)
{
    world->kmd_build = 20 + below(160);
    world->kmd_seen = !chance(P_KMD_NOT_SEEN);
    world->branches = BRANCHES;
    world->kmd = &world->branch[below(NEWEST_KMD)];
    world->kmd->least_cc = branches[world->kmd - world->branch].least_cc;
}
