/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every machine: random worlds from a fixed seed, whose facts the rules ask for one
 * by one. Single rows: test-verdict.c, tests/cases. */
#include "unit.h"
#include "machine.h"
#include "base/policy.h"
#include "base/version.h"
#include "elf/compat_note.h"
#include "facts/facts.h"
#include "facts/native.h"
#include "rules/words.h"
#include "tables/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED     20261121
#define MACHINES 20000
#define MOST     6

static unsigned seed;

static unsigned any(unsigned n)
{
    return (unsigned)rand_r(&seed) % n;
}

static bool one_in(unsigned n)
{
    return any(n) == 0;
}

static const char *const versions[] = {
    "384.183",    "410.129",   "418.226.00", "440.118.02", "450.248.02", "455.45.01",
    "460.106.00", "470.82.01", "470.256.02", "510.108.03", "525.147.05", "535.54.03",
    "535.261.03", "545.29.06", "550.163.01", "565.57.01",  "575.57.08",  "580.82.07",
    "580.126.16", "590.48.01", "595.58.03",  "610.43.02",  "615.65.02",  "990.11.01",
};
static const char *const models[] = {
    "NVIDIA GeForce RTX 4090",
    "Tesla V100-SXM2-16GB",
    "Tesla T4",
    "NVIDIA A100-SXM4-40GB",
    "NVIDIA H100 PCIe",
    "Quadro RTX 8000",
    "Quadro P4000",
    "NVIDIA RTX A6000",
    "GRID T4-8C",
    "NVIDIA TITAN RTX",
    "Tesla K80",
    "NVIDIA Something New",
};
static const char *const folders[] = {
    "/usr/lib/x86_64-linux-gnu", "/usr/local/cuda/compat", "/usr/local/nvidia/lib64",
    "/opt/conda/cuda-compat",    "/usr/lib/wsl/lib",
};

static void add_any(struct cua_facts *facts, const char *version, unsigned number)
{
    const char *folder = folders[any(COUNT(folders))];
    struct cua_umd *umd = machine_umd(facts, folder, version, number);
    static const int codes[] = {0, 0, 0, 803, 804, 100, 999, 34};

    umd->found = strstr(folder, "compat") ? CUA_FOUND_COMPAT : CUA_FOUND_DEFAULT;
    umd->found |= one_in(4) ? CUA_FOUND_MOUNT : 0;
    umd->state = one_in(6) ? (enum cua_umd_state)any(6) : CUA_UMD_USABLE;
    umd->trusted = !one_in(6);
    umd->companions = !one_in(6);
    umd->tegra = one_in(12);
    umd->tried = one_in(4) ? CUA_TRIAL_SILENT : CUA_TRIAL_ANSWERED;
    umd->trial_code = codes[any(COUNT(codes))];
    umd->loads = one_in(6) ? CUA_LOADS_NO : CUA_LOADS_YES;
    if (one_in(12))
        umd->version = (struct cua_version){.text = ""};
    if (!one_in(3))
        return;
    umd->note = (struct cua_note){.present = true, .has_branches = !one_in(4), .cuda = umd->cuda};
    for (unsigned i = 0; umd->note.has_branches && i < 4; i++)
        umd->note.branch[umd->note.branches++] = (unsigned)atoi(versions[any(COUNT(versions))]);
    umd->note.has_brands = umd->note.has_branches;
    for (unsigned i = 1; umd->note.has_brands && i < 15; i++)
        if (i < 3 || i > 6)
            umd->note.brand[umd->note.brands++] = (int)i;
}

/* All there is to know. */
static void make_world(struct cua_facts *world)
{
    static const enum cua_platform platforms[] = {
        CUA_PLATFORM_LINUX, CUA_PLATFORM_LINUX, CUA_PLATFORM_LINUX, CUA_PLATFORM_LINUX,
        CUA_PLATFORM_LINUX, CUA_PLATFORM_LINUX, CUA_PLATFORM_LINUX, CUA_PLATFORM_WSL,
        CUA_PLATFORM_TEGRA, CUA_PLATFORM_NONE};
    const char *kmd = versions[any(COUNT(versions))];
    unsigned umds = any(MOST);

    *world = (struct cua_facts){.kmd.platform = platforms[any(COUNT(platforms))],
                                .gpus_known = !one_in(8),
                                .by_name = !one_in(8),
                                .bound = one_in(12),
                                .mps = one_in(12)};
    memset(world->asked, true, sizeof(world->asked));
    if (!one_in(20) && world->kmd.platform != CUA_PLATFORM_WSL)
        cua_version_parse(&world->kmd.version, kmd);
    for (unsigned i = 0; i < umds; i++)
        add_any(world, one_in(3) ? kmd : versions[any(COUNT(versions))], i + 1);
    unsigned first = umds ? any(umds + 1) : 0;
    for (struct cua_umd *umd = world->umds; umd; umd = umd->hh.next) {
        if (umd->key.ino == first)
            world->loader = umd;
        if (world->kmd.platform == CUA_PLATFORM_TEGRA && !one_in(3)) {
            umd->tegra = true;
            umd->cuda = one_in(4) ? 0 : 11040 + any(4) * 1000;
        }
    }
    world->native = cua_find_native(world);
    for (struct cua_umd *umd = world->umds; umd; umd = umd->hh.next) {
        if (umd == world->loader || umd == world->native || !one_in(6))
            continue;
        umd->found = CUA_FOUND_BROUGHT;
        umd->trusted = true;
    }
    world->gpu_count = any(4);
    world->gpus = calloc(4, sizeof(*world->gpus));
    for (size_t i = 0; i < world->gpu_count; i++) {
        struct cua_gpu *gpu = &world->gpus[i];
        snprintf(gpu->model, sizeof(gpu->model), "%s",
                 models[one_in(2) ? 2 + any(3) : any(COUNT(models))]);
        const struct cua_known known = cua_data_gpu_by_model(NULL, gpu->model);
        gpu->brand = known.brand;
        gpu->cc = known.cc;
        gpu->visible = !one_in(3);
    }
    world->toolkit.kind = (enum cua_toolkit_kind)any(4);
    if (world->toolkit.kind)
        world->toolkit.cuda = 10000 + any(4) * 1000 + any(5) * 10;
}

static struct cua_umd *of_key(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return umd ? cua_facts_umd(facts, &umd->key) : NULL;
}

/* What a gatherer brings: a copy without the answers of a trial, and without the CUDA that tables
 * tell. */
static struct cua_umd *reveal_umd(struct cua_facts *facts, const struct cua_umd *umd)
{
    struct cua_umd *mine = of_key(facts, umd);

    if (!umd || mine)
        return mine;
    mine = malloc(sizeof(*mine));
    *mine = *umd;
    mine->path = strdup(umd->path);
    mine->real = strdup(umd->real);
    mine->tried = CUA_TRIAL_NONE;
    mine->loads = CUA_LOADS_UNASKED;
    if (!facts->asked[CUA_FACT_TABLES])
        mine->cuda = umd->note.present ? umd->note.cuda : 0;
    HASH_ADD(hh, facts->umds, key, sizeof(mine->key), mine);
    return mine;
}

static void reveal_trial(struct cua_facts *facts, const struct cua_facts *world,
                         const struct cua_verdict *verdict)
{
    CUA_UNIT_WITHIN(verdict->trials, 1, CUA_TRIALS_MOST);
    for (unsigned i = 0; i < verdict->trials; i++)
        cua_facts_umd(facts, &verdict->trial[i])->tried =
            cua_facts_umd(world, &verdict->trial[i])->tried;
    if (facts->native)
        of_key(facts, facts->native)->tried = world->native->tried;
}

static void reveal(struct cua_facts *facts, const struct cua_facts *world, enum cua_fact fact,
                   const struct cua_verdict *verdict)
{
    facts->asked[fact] = true;
    switch (fact) {
    case CUA_FACT_KMD:
        facts->kmd = world->kmd;
        break;
    case CUA_FACT_LOADER:
        facts->loader = reveal_umd(facts, world->loader);
        facts->by_name = world->by_name;
        break;
    case CUA_FACT_TOOLKIT:
        facts->toolkit = world->toolkit;
        facts->bound = world->bound;
        break;
    case CUA_FACT_TABLES:
        for (struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
            umd->cuda = of_key(world, umd)->cuda;
        break;
    case CUA_FACT_NATIVE:
        facts->native = reveal_umd(facts, world->native);
        break;
    case CUA_FACT_UMDS:
    case CUA_FACT_BROUGHT:
        for (struct cua_umd *umd = world->umds; umd; umd = umd->hh.next)
            if (cua_is_brought(umd) == (fact == CUA_FACT_BROUGHT))
                reveal_umd(facts, umd);
        break;
    case CUA_FACT_GPUS:
        facts->gpus = malloc(4 * sizeof(*facts->gpus));
        memcpy(facts->gpus, world->gpus, 4 * sizeof(*facts->gpus));
        facts->gpu_count = world->gpu_count;
        facts->gpus_known = world->gpus_known;
        break;
    case CUA_FACT_MPS:
        facts->mps = world->mps;
        break;
    case CUA_FACT_CIRCUMSTANCES:
        facts->circumstances = world->circumstances;
        break;
    case CUA_FACT_AGREED:
        facts->agreed = world->agreed;
        break;
    case CUA_FACT_TRIAL:
        reveal_trial(facts, world, verdict);
        break;
    case CUA_FACT_LOADS:
        cua_facts_umd(facts, &verdict->trial[0])->loads =
            cua_facts_umd(world, &verdict->trial[0])->loads;
        break;
    default:
        fail_msg("asked for %d", fact);
    }
}

/* As the loop does; returns how many facts were asked for. */
static unsigned decide(struct cua_facts *facts, struct cua_verdict *verdict,
                       const struct cua_facts *world, const struct cua_policy *policy)
{
    bool asked[CUA_FACTS] = {false};
    unsigned rounds = 0;

    *facts = (struct cua_facts){.gpu_count = 0};
    for (; cua_rule(verdict, facts, policy), verdict->next; rounds++) {
        /* Each once, but what is asked of single files, of none twice. */
        if (verdict->next >= CUA_FACT_TRIAL)
            assert_true(rounds < CUA_FACTS + 2 * MOST);
        else
            assert_false(asked[verdict->next]);
        asked[verdict->next] = true;
        reveal(facts, world, verdict->next, verdict);
    }
    return rounds;
}

/* The world is what a trial of every file would answer; what was taken untried, or is known not to
 * load, is refused by no answer that nobody asked for. */
static void settle(struct cua_facts *world, const struct cua_facts *facts,
                   const struct cua_verdict *verdict)
{
    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        if (!umd->tried && (umd == verdict->chosen || umd->loads == CUA_LOADS_NO))
            of_key(world, umd)->tried = CUA_TRIAL_SILENT;
}

/* Runs a check on many worlds, asked fact by fact. */
static void for_all(enum cua_policy_kind kind,
                    void (*check)(const struct cua_facts *world, const struct cua_policy *policy,
                                  const struct cua_facts *facts, const struct cua_verdict *verdict))
{
    seed = SEED;
    print_message("# seed %u, %u machines\n", seed, MACHINES);
    for (unsigned i = 0; i < MACHINES; i++) {
        struct cua_facts world, facts;
        struct cua_policy policy = {.kind = kind, .trial = (enum cua_trial_kind)any(3)};
        struct cua_verdict verdict;
        make_world(&world);
        decide(&facts, &verdict, &world, &policy);
        settle(&world, &facts, &verdict);
        check(&world, &policy, &facts, &verdict);
        cua_facts_free(&facts);
        cua_facts_free(&world);
    }
}

static const char *name_of(const struct cua_umd *umd)
{
    return umd ? umd->path : "none";
}

#define HOLDS(condition) MACHINE_HOLDS(facts, verdict, condition)

/* What was not asked for could not have changed the verdict: not even what a trial of every file
 * would have answered. */
static void check_completion(const struct cua_facts *world, const struct cua_policy *policy,
                             const struct cua_facts *facts, const struct cua_verdict *verdict)
{
    struct cua_verdict full;

    cua_rule(&full, world, policy);
    HOLDS(full.next == CUA_FACT_NOTHING);
    HOLDS(strcmp(name_of(full.chosen), name_of(verdict->chosen)) == 0);
    HOLDS(full.works == verdict->works);
    HOLDS(full.reason == verdict->reason);
    HOLDS(full.kind == verdict->kind);
}

static int by_path_down(const struct cua_umd *a, const struct cua_umd *b)
{
    return strcmp(b->path, a->path);
}

static void check_order(const struct cua_facts *world, const struct cua_policy *policy,
                        const struct cua_facts *facts, const struct cua_verdict *verdict)
{
    struct cua_facts turned = *world;
    struct cua_verdict other;

    HASH_SORT(turned.umds, by_path_down);
    cua_rule(&other, &turned, policy);
    ((struct cua_facts *)world)->umds = turned.umds;
    HOLDS(strcmp(name_of(other.chosen), name_of(verdict->chosen)) == 0);
    HOLDS(other.reason == verdict->reason);
}

static void check_sound(const struct cua_facts *world, const struct cua_policy *policy,
                        const struct cua_facts *facts, const struct cua_verdict *verdict)
{
    const struct cua_umd *chosen = verdict->chosen, *loader = facts->loader;
    struct cua_words words;
    struct cua_fate fate;

    (void)world;
    cua_words(&words, verdict, facts);
    assert_true(words.explanation[0]);
    HOLDS((chosen == NULL) == (verdict->kind == CUA_KIND_NONE));
    if (facts->kmd.platform == CUA_PLATFORM_NONE || (loader && loader->state == CUA_UMD_FOREIGN))
        HOLDS(!chosen);
    if (!chosen || chosen == loader)
        return;
    /* A replacement can be loaded, is nobody else's, and nothing that is known speaks against it;
     * what is only open was tried. */
    HOLDS(chosen->state == CUA_UMD_USABLE);
    HOLDS(chosen->trusted);
    HOLDS(!cua_trial_fails(facts, chosen));
    cua_fate(&fate, facts, chosen, true);
    HOLDS(fate.works != CUA_WORKS_NO);
    if (fate.works == CUA_WORKS_UNKNOWN)
        HOLDS(chosen->tried == CUA_TRIAL_ANSWERED && chosen->trial_code == 0 &&
              policy->trial != CUA_TRIAL_NEVER);
    if (cua_is_brought(chosen))
        HOLDS(fate.works == CUA_WORKS_YES && fate.grade >= CUA_GRADE_MEASURED &&
              chosen->tried == CUA_TRIAL_ANSWERED && chosen->trial_code == 0);
    if (!loader)
        return;
    /* And the loader's choice fails, or serves not, or was failed by a trial. */
    cua_fate(&fate, facts, loader, false);
    if (fate.works != CUA_WORKS_NO && !cua_trial_fails(facts, loader))
        HOLDS(cua_serves(facts, loader, true) == CUA_WORKS_NO);
    /* Native is taken away for the program's own runtime, or for the image's word and the best
     * evidence. */
    if (cua_is_native(facts, loader) && cua_serves(facts, loader, false) != CUA_WORKS_NO) {
        cua_fate(&fate, facts, chosen, true);
        HOLDS(fate.works == CUA_WORKS_YES);
        HOLDS(fate.grade >= CUA_GRADE_MEASURED && chosen->companions && facts->by_name &&
              !facts->mps && !facts->bound);
    }
}

/* No GPU, no other folder, no table, no MPS. */
static void check_cheap(const struct cua_facts *world, const struct cua_policy *policy,
                        const struct cua_facts *facts, const struct cua_verdict *verdict)
{
    (void)policy;
    if (!world->loader || !cua_is_native(world, world->loader) || world->toolkit.cuda)
        return;
    assert_ptr_equal(verdict->chosen, facts->loader);
    for (int fact = CUA_FACT_TABLES; fact < CUA_FACTS; fact++)
        assert_false(facts->asked[fact]);
}

static void check_host(const struct cua_facts *world, const struct cua_policy *policy,
                       const struct cua_facts *facts, const struct cua_verdict *verdict)
{
    (void)policy;
    if (world->native && world->kmd.platform != CUA_PLATFORM_NONE &&
        (!world->loader || world->loader->state != CUA_UMD_FOREIGN))
        assert_ptr_equal(verdict->chosen, facts->native);
}

static void check_compat(const struct cua_facts *world, const struct cua_policy *policy,
                         const struct cua_facts *facts, const struct cua_verdict *verdict)
{
    (void)policy;
    (void)facts;
    if (world->kmd.platform == CUA_PLATFORM_NONE ||
        (world->loader && world->loader->state == CUA_UMD_FOREIGN))
        return;
    for (const struct cua_umd *umd = world->umds; umd; umd = umd->hh.next)
        if (cua_is_newer(world, umd) && !cua_is_brought(umd) &&
            (umd->trusted || umd == world->loader))
            assert_true(cua_version_compare(&umd->version, &verdict->chosen->version) <= 0);
}

static void check_off(const struct cua_facts *world, const struct cua_policy *policy,
                      const struct cua_facts *facts, const struct cua_verdict *verdict)
{
    (void)world;
    (void)policy;
    assert_null(verdict->chosen);
    for (int fact = 0; fact < CUA_FACTS; fact++)
        assert_false(facts->asked[fact]);
}

static void no_completion_changes_a_verdict(void **state)
{
    (void)state;
    for (int kind = CUA_POLICY_AUTO; kind < CUA_POLICY_OFF; kind++)
        for_all((enum cua_policy_kind)kind, check_completion);
}

static void the_order_of_candidates_does_not_matter(void **state)
{
    (void)state;
    for (int kind = CUA_POLICY_AUTO; kind < CUA_POLICY_OFF; kind++)
        for_all((enum cua_policy_kind)kind, check_order);
}

static void nothing_is_replaced_but_for_a_reason(void **state)
{
    (void)state;
    for_all(CUA_POLICY_AUTO, check_sound);
}

static void native_without_a_hint_is_cheap(void **state)
{
    (void)state;
    for_all(CUA_POLICY_AUTO, check_cheap);
}

static void policies_do_as_they_say(void **state)
{
    (void)state;
    for_all(CUA_POLICY_HOST, check_host);
    for_all(CUA_POLICY_COMPAT, check_compat);
    for_all(CUA_POLICY_OFF, check_off);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_completion_changes_a_verdict),
        cmocka_unit_test(the_order_of_candidates_does_not_matter),
        cmocka_unit_test(nothing_is_replaced_but_for_a_reason),
        cmocka_unit_test(native_without_a_hint_is_cheap),
        cmocka_unit_test(policies_do_as_they_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
