/* SPDX-License-Identifier: Apache-2.0 */
/* A host's driver that works, a program of a later minor CUDA, and a bundled driver of that CUDA:
 * each condition under which CUARBITER_MINOR=yes lets the one take the other's place. */
#include "verdict.h"
#include "root.h"
#include "decide/loop.h"
#include "facts/circumstances.h"
#include "facts/isolation.h"

static void lies_at(struct cua_umd *one, const char *path)
{
    free(one->path);
    one->path = strdup(path);
}

/* 570 with an H100, the image is of CUDA 12.9, and 575, with its note, lies in its compat folder.
 */
static struct cua_umd *later_minor(void)
{
    struct cua_umd *compat;

    machine("570.148.08");
    gpu("NVIDIA H100 80GB HBM3");
    loader(LIB, "570.148.08");
    compat = umd(COMPAT, "575.57.08");
    lies_at(compat, "/usr/local/cuda-12.9/compat/libcuda.so.575.57.08");
    note(compat, 570, 575);
    program(CUA_TOOLKIT_HINT, 12090);
    facts.toolkit.image = 12090;
    policy.minor = CUA_MINOR_YES;
    return compat;
}

static void stays(const char *why)
{
    cua_rule(&verdict, &facts, &policy);
    if (verdict.next != CUA_FACT_NOTHING || verdict.chosen != facts.loader ||
        verdict.reason != CUA_REASON_NATIVE)
        fail_msg("%s: fact %d, %s", why, verdict.next, cua_reason_code(verdict.reason));
}

static void yes_takes_it_after_a_trial_that_answers_0(void **state)
{
    struct cua_umd *compat = later_minor();

    (void)state;
    tries(compat);
    answers(compat, 0);
    ruled(compat, CUA_WORKS_YES, CUA_REASON_NEWER_MINOR);
    for (int code = -1; code < 1000; code += code < 0 ? 3 : 400) {
        answers(compat, code);
        stays("another answer");
    }
    policy.trial = CUA_TRIAL_NEVER;
    compat->tried = CUA_TRIAL_NONE;
    stays("no trial");
    assert_true(verdict.untried);
    later_minor()->note.present = false; /* what is declared is enough for it */
    tries(facts.umds->hh.next);
}

static void with_no_nothing_is_asked(void **state)
{
    struct cua_umd *compat = later_minor();

    (void)state;
    answers(compat, 0);
    policy.minor = CUA_MINOR_NO;
    for (int fact = CUA_FACT_NATIVE; fact < CUA_FACTS; fact++)
        facts.asked[fact] = false;
    stays("no");
}

/* The first process tries, and its outcome is the container's, either way. */
static void auto_decides_for_the_container(void **state)
{
    struct cua_umd *compat = later_minor();

    (void)state;
    policy.minor = CUA_MINOR_AUTO;
    facts.asked[CUA_FACT_AGREED] = false;
    asks(CUA_FACT_AGREED);
    facts.asked[CUA_FACT_AGREED] = true;
    tries(compat);
    answers(compat, 0);
    ruled(compat, CUA_WORKS_YES, CUA_REASON_NEWER_MINOR);
    assert_true(verdict.settles);
    compat->loads = CUA_LOADS_UNASKED;
    asks(CUA_FACT_LOADS); /* before anything is settled */
    compat->loads = CUA_LOADS_YES;
    for (int code = -1; code < 1000; code += code < 0 ? 3 : 400) {
        answers(compat, code);
        stays("another answer");
        assert_true(verdict.settles);
    }
    policy.trial = CUA_TRIAL_NEVER;
    compat->tried = CUA_TRIAL_NONE;
    stays("no trial");
    assert_true(verdict.settles);
    compat->companions = false; /* it is none of this program's */
    stays("nothing to take");
    assert_false(verdict.settles);
}

/* All others go by it: what their own trial brings does not matter, unless it refuses the file. */
static void auto_goes_by_the_container(void **state)
{
    struct cua_umd *compat = later_minor();

    (void)state;
    policy.minor = CUA_MINOR_AUTO;
    facts.agreed = (struct cua_agreed){.what = CUA_AGREED_NATIVE, .file = compat->key};
    answers(compat, 0);
    stays("the container has the host's");
    assert_false(verdict.settles);
    facts.agreed.what = CUA_AGREED_FILE;
    compat->tried = CUA_TRIAL_NONE;
    ruled(compat, CUA_WORKS_YES, CUA_REASON_NEWER_MINOR);
    assert_false(verdict.settles);
    policy.trial = CUA_TRIAL_NEVER;
    answers(compat, -1);
    ruled(compat, CUA_WORKS_YES, CUA_REASON_NEWER_MINOR);
    answers(compat, 803);
    stays("it is refused here");
    answers(compat, 0);
    facts.agreed.file = facts.loader->key;
    stays("another file");
    facts.agreed.file = compat->key;
    facts.agreed.file.dev++;
    stays("a file of that number on another device");
    facts.agreed.file = compat->key;
    compat->loads = CUA_LOADS_NO;
    stays("it does not load here");
    compat->loads = CUA_LOADS_YES;
    compat->companions = false;
    stays("it is none for this program");
}

static void who_does_not_ask_the_container(void **state)
{
    struct cua_umd *compat = later_minor();

    (void)state;
    facts.asked[CUA_FACT_AGREED] = false;
    tries(compat); /* yes is a word of the user's own */
    policy.minor = CUA_MINOR_AUTO;
    policy.kind = CUA_POLICY_REPORT;
    tries(compat);
    answers(compat, 0);
    ruled(compat, CUA_WORKS_YES, CUA_REASON_NEWER_MINOR);
    assert_false(verdict.settles);
    policy.kind = CUA_POLICY_AUTO;
    program(CUA_TOOLKIT_EXACT, 12080); /* no later one */
    stays("an exact runtime");
    program(CUA_TOOLKIT_HINT, 12090);
    for (int i = 0; i < 4; i++) {
        policy.kind = i & 1 ? CUA_POLICY_REPORT : CUA_POLICY_AUTO;
        facts.circumstances = (struct cua_circumstances){.mig = false};
        strcpy(i & 2 ? facts.circumstances.several : facts.circumstances.refusal, "A=1");
        stays("who says no, and a job in several containers");
        policy.minor = CUA_MINOR_YES;
        policy.kind = CUA_POLICY_AUTO;
        ruled(compat, CUA_WORKS_YES, CUA_REASON_NEWER_MINOR);
        policy.minor = CUA_MINOR_AUTO;
    }
}

/* The first of a container's ranks may have had no sign of the others. */
static void a_number_of_ranks_alone_goes_by_the_container(void **state)
{
    struct cua_umd *compat = later_minor();

    (void)state;
    answers(compat, 0);
    policy.minor = CUA_MINOR_AUTO;
    facts.circumstances = (struct cua_circumstances){.several = "WORLD_SIZE=8", .unsure = true};
    stays("no other one has decided");
    assert_true(verdict.settles);
    facts.agreed = (struct cua_agreed){.what = CUA_AGREED_FILE, .file = compat->key};
    ruled(compat, CUA_WORKS_YES, CUA_REASON_NEWER_MINOR);
    policy.kind = CUA_POLICY_REPORT;
    stays("report takes no part");
    policy.kind = CUA_POLICY_AUTO;
    facts.circumstances.unsure = false;
    stays("a job on several nodes");
    assert_false(verdict.settles);
}

static void each_condition_counts(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct cua_umd *compat = later_minor();
        answers(compat, 0);
        switch (i) {
        case 0:
            compat->companions = false;
            break;
        case 1: /* hidden now */
            gpu("NVIDIA GeForce RTX 4090");
            facts.gpus[1].visible = false;
            break;
        case 2:
            facts.mps = true;
            break;
        case 3:
            facts.bound = true;
            break;
        case 4:
            facts.by_name = false;
            break;
        case 5:
            facts.circumstances.mig = true;
            break;
        case 6:
            facts.circumstances.confidential = true;
            break;
        case 7:
            facts.circumstances.graphics = true;
            break;
        case 8:
            facts.decoder = true;
            break;
        case 9: /* not where NVIDIA's hook or NGC's entry point looks */
            lies_at(compat, "/opt/local/cuda/compat/libcuda.so.1");
            break;
        case 10:
            lies_at(compat, "/usr/local/cuda/compas/libcuda.so.1");
            break;
        case 11:
            lies_at(compat, "/usr/local/cuda/compat/old/libcuda.so.1");
            break;
        case 12: /* the image's word is its CUDA's, not another one's */
            program(CUA_TOOLKIT_HINT, 12100);
            break;
        case 13:
            program(CUA_TOOLKIT_HINT, 12080);
            break;
        case 14: /* the program's own is no later one */
            program(CUA_TOOLKIT_EXACT, 12080);
            break;
        case 15: /* nor has the bundled one it */
            program(CUA_TOOLKIT_EXACT, 12100);
            break;
        case 16: /* of another major than the image says */
            program(CUA_TOOLKIT_LEAST, 11000);
            break;
        case 17:
            lies_at(compat, "/usr/local/cuda");
            break;
        case 18:
            cua_facts_umd(&facts, &facts.loader->key)->cuda = 0;
            break;
        default:
            compat->loads = CUA_LOADS_NO;
        }
        char why[32];
        snprintf(why, sizeof(why), "condition %d", i);
        stays(why);
    }
}

static void what_the_program_needs(void **state)
{
    static const struct {
        enum cua_toolkit_kind kind;
        unsigned cuda, compiler, image;
        bool taken;
    } rows[] = {
        {CUA_TOOLKIT_HINT, 12090, 0, 12090, true},
        {CUA_TOOLKIT_LEAST, 12000, 0, 12090, true},
        {CUA_TOOLKIT_LEAST, 12000, 0, 0, false},
        {CUA_TOOLKIT_LEAST, 12000, 0, 12070, false},
        {CUA_TOOLKIT_EXACT, 12090, 0, 0, true},
        {CUA_TOOLKIT_EXACT, 12090, 12040, 12090, false}, /* the lowest counts */
        {CUA_TOOLKIT_EXACT, 12040, 12090, 12090, false},
        {CUA_TOOLKIT_NONE, 0, 12090, 0, true}, /* a static runtime, and nvrtc */
        {CUA_TOOLKIT_NONE, 0, 12080, 0, false},
        {CUA_TOOLKIT_HINT, 12090, 12040, 12090, false},
        {CUA_TOOLKIT_LEAST, 12000, 12090, 12040, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cua_umd *compat = later_minor();
        answers(compat, 0);
        program(rows[i].kind, rows[i].cuda);
        facts.toolkit.compiler = rows[i].compiler;
        facts.toolkit.image = rows[i].image;
        cua_rule(&verdict, &facts, &policy);
        if ((verdict.chosen == compat) != rows[i].taken)
            fail_msg("row %zu", i);
    }
    /* An exact one may have a driver of a later CUDA than it needs. */
    struct cua_umd *compat = later_minor();
    machine("550.163.01");
    gpu("NVIDIA H100 80GB HBM3");
    loader(LIB, "550.163.01");
    compat = umd(COMPAT, "575.57.08");
    lies_at(compat, "/usr/local/cuda-12.9/compat/lib.real/libcuda.so.575.57.08");
    note(compat, 550, 575);
    answers(compat, 0);
    policy.minor = CUA_MINOR_YES;
    program(CUA_TOOLKIT_EXACT, 12080);
    ruled(compat, CUA_WORKS_YES, CUA_REASON_NEWER_MINOR);
    program(CUA_TOOLKIT_HINT, 12080);
    stays("the image's word is no driver's CUDA");
    /* The tables are asked for a compiler too. */
    program(CUA_TOOLKIT_NONE, 0);
    facts.toolkit.compiler = 12080;
    facts.asked[CUA_FACT_TABLES] = false;
    cua_facts_umd(&facts, &facts.loader->key)->cuda = 0; /* which they tell */
    asks(CUA_FACT_TABLES);
}

static void a_later_major_goes_by_the_same_need(void **state)
{
    struct cua_umd *compat = later_minor();

    (void)state;
    machine(KMD);
    gpu("NVIDIA H100 80GB HBM3");
    loader(LIB, KMD);
    compat = umd(COMPAT, "580.95.05");
    note(compat, 535, 580);
    facts.asked[CUA_FACT_CIRCUMSTANCES] = false;
    program(CUA_TOOLKIT_HINT, 13000);
    asks(CUA_FACT_CIRCUMSTANCES);
    facts.asked[CUA_FACT_CIRCUMSTANCES] = true;
    ruled(compat, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    program(CUA_TOOLKIT_HINT, 13020); /* another minor of it runs there too */
    ruled(compat, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    program(CUA_TOOLKIT_NONE, 0);
    facts.toolkit.compiler = 13000;
    ruled(compat, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    facts.circumstances.mig = true;
    stays("a part of a GPU");
    policy.kind = CUA_POLICY_NEWEST;
    stays("under newest too");
    facts.circumstances = (struct cua_circumstances){.confidential = true};
    stays("a confidential machine");
    policy.kind = CUA_POLICY_AUTO;
    stays("and under auto");
    facts.circumstances = (struct cua_circumstances){.graphics = true};
    facts.decoder = true; /* these count within a major */
    ruled(compat, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    policy.kind = CUA_POLICY_NEWEST;
    facts.asked[CUA_FACT_CIRCUMSTANCES] = false;
    asks(CUA_FACT_CIRCUMSTANCES);
}

/* What is named where nothing is taken. */
static void auto_names_it(void **state)
{
    static const struct cua_subject subject;
    static const struct cua_request request;
    struct cua_umd *compat = later_minor();

    (void)state;
    policy.minor = CUA_MINOR_AUTO;
    facts.agreed.what = CUA_AGREED_NATIVE;
    ruled(facts.loader, CUA_WORKS_YES, CUA_REASON_NATIVE);
    assert_ptr_equal(cua_decide_minor(&facts, &verdict, &subject, &policy, &request), compat);
    facts.agreed.what = CUA_AGREED_NOTHING; /* auto would try it as well */
    assert_null(cua_decide_minor(&facts, &verdict, &subject, &policy, &request));
    facts.agreed.what = CUA_AGREED_NATIVE;
    answers(compat, 0);
    assert_ptr_equal(cua_decide_minor(&facts, &verdict, &subject, &policy, &request), compat);
    answers(compat, 803);
    assert_null(cua_decide_minor(&facts, &verdict, &subject, &policy, &request));
    compat->tried = CUA_TRIAL_NONE;
    policy.minor = CUA_MINOR_NO;
    assert_null(cua_decide_minor(&facts, &verdict, &subject, &policy, &request));
    policy.minor = CUA_MINOR_AUTO;
    facts.circumstances.graphics = true;
    assert_null(cua_decide_minor(&facts, &verdict, &subject, &policy, &request));
    facts.circumstances = (struct cua_circumstances){.several = "WORLD_SIZE=16"};
    assert_ptr_equal(cua_decide_minor(&facts, &verdict, &subject, &policy, &request), compat);
    facts.circumstances = (struct cua_circumstances){.refusal = "A=0"};
    assert_null(cua_decide_minor(&facts, &verdict, &subject, &policy, &request));
}

static const struct cua_circumstances *around_two(const char *root, const char *variable,
                                                  const char *other)
{
    char *env[] = {(char *)variable, (char *)other, NULL};
    const struct cua_subject subject = {.sysroot = root, .env = env, .whatif = true};

    machine(KMD);
    cua_circumstances_gather(&facts, &subject);
    return &facts.circumstances;
}

static const struct cua_circumstances *around(const char *root, const char *variable)
{
    return around_two(root, variable, NULL);
}

/* Who says no, and what may have several containers: by data/signs.tsv. */
static void signs(void **state)
{
    static const char *const several[][3] = {
        {"SLURM_JOB_NUM_NODES=2", NULL, "SLURM_JOB_NUM_NODES=2"},
        {"SLURM_JOB_NUM_NODES=1", NULL, ""},
        {"SLURM_JOB_NUM_NODES=", NULL, ""},
        {"SLURM_JOB_NUM_NODES=x2", NULL, ""},
        {"WORLD_SIZE=16", "LOCAL_WORLD_SIZE=8", "WORLD_SIZE=16"},
        {"WORLD_SIZE=8", "LOCAL_WORLD_SIZE=8", ""},
        {"WORLD_SIZE=2", NULL, "WORLD_SIZE=2"},
        {"WORLD_SIZE=1", NULL, ""},
        {"OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_LOCAL_SIZE=2", "OMPI_COMM_WORLD_SIZE=4"},
        {"OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_LOCAL_SIZE=4", ""},
        {"PMI_SIZE=4", "MPI_LOCALNRANKS=2", "PMI_SIZE=4"},
        {"PMI_SIZE=4", "MPI_LOCALNRANKS=4", ""},
        {"HOROVOD_SIZE=4", "HOROVOD_LOCAL_SIZE=2", "HOROVOD_SIZE=4"},
        {"HOROVOD_SIZE=4", "HOROVOD_LOCAL_SIZE=4", ""},
        {"AWS_BATCH_JOB_NUM_NODES=2", NULL, "AWS_BATCH_JOB_NUM_NODES=2"},
        {"SKYPILOT_NUM_NODES=2", NULL, "SKYPILOT_NUM_NODES=2"},
        {"SKYPILOT_NUM_NODES=1", NULL, ""},
        {"CROSS_SIZE=2", "WORLD_SIZE=16", "CROSS_SIZE=2"},
        {"AZ_BATCH_MASTER_NODE=10.0.0.4:6000", NULL, "AZ_BATCH_MASTER_NODE"},
        {"COORDINATOR_ADDRESS=job-worker-0", NULL, "COORDINATOR_ADDRESS"},
        {"CUDA_DEVICE_MEMORY_SHARED_CACHE=/a", NULL, "CUDA_DEVICE_MEMORY_SHARED_CACHE"},
        {"DSTACK_NODES_NUM=2", NULL, "DSTACK_NODES_NUM=2"},
        {"GROVE_PCSG_TEMPLATE_NUM_PODS=4", NULL, "GROVE_PCSG_TEMPLATE_NUM_PODS=4"},
        {"JOB_COMPLETION_INDEX=0", NULL, "JOB_COMPLETION_INDEX"},
        {"JSM_NAMESPACE_SIZE=2", NULL, "JSM_NAMESPACE_SIZE=2"},
        {"PADDLE_NNODES=2", NULL, "PADDLE_NNODES=2"},
        {"RAY_USAGE_STATS_KUBERAY_IN_USE=1", NULL, "RAY_USAGE_STATS_KUBERAY_IN_USE"},
        {"SM_HOST_COUNT=2", NULL, "SM_HOST_COUNT=2"},
        {"SM_HOST_COUNT=1", NULL, ""},
        {"VC_TASK_INDEX=0", NULL, "VC_TASK_INDEX"},
        {"CLUSTER_SPEC={}", NULL, "CLUSTER_SPEC"},
        {"LEPTON_JOB_TOTAL_WORKERS=2", NULL, "LEPTON_JOB_TOTAL_WORKERS=2"},
        {"LEPTON_JOB_TOTAL_WORKERS=1", NULL, ""},
        {"NHOSTS=2", NULL, "NHOSTS=2"},
        {"NUM_NODES=2", "WORLD_SIZE=16", "NUM_NODES=2"},
        {"NUM_NODES=1", NULL, ""},
        {"TF_CONFIG={}", NULL, "TF_CONFIG"},
        {"APPTAINER_CONTAINER=/a.sif", NULL, "APPTAINER_CONTAINER"},
        {"SINGULARITY_NAME=a\nb", NULL, "SINGULARITY_NAME"},
        {"SINGULARITY_CONTAINER=", NULL, ""},
    };
    static const char *const refusals[][2] = {
        {"VLLM_ENABLE_CUDA_COMPATIBILITY=0", "VLLM_ENABLE_CUDA_COMPATIBILITY=0"},
        {"VLLM_ENABLE_CUDA_COMPATIBILITY=False", "VLLM_ENABLE_CUDA_COMPATIBILITY=false"},
        {"VLLM_ENABLE_CUDA_COMPATIBILITY=1", ""},
        {"DISABLE_FORWARD_COMPAT=true", "DISABLE_FORWARD_COMPAT=true"},
        {"DISABLE_FORWARD_COMPAT=false", ""},
        {"JULIA_CUDA_USE_COMPAT=false", "JULIA_CUDA_USE_COMPAT=false"},
        {"JULIA_CUDA_USE_COMPAT=0", "JULIA_CUDA_USE_COMPAT=0"},
        {"JULIA_CUDA_USE_COMPAT=true", ""},
        {"MOLT_CUDA_COMPAT=0", "MOLT_CUDA_COMPAT=0"},
    };
    static const struct cua_row_sign guess = {"A", CUA_TEST_SET, "-", CUA_GRADE_GUESS};
    const struct cua_data guesses = {.sign = &guess, .signs = 1};
    char *root = root_make(), *env[] = {(char *)"A=1", NULL};
    const struct cua_subject subject = {.sysroot = root, .env = env, .whatif = true};

    (void)state;
    for (size_t i = 0; i < COUNT(several); i++) {
        around_two(root, several[i][0], several[i][1]);
        assert_string_equal(facts.circumstances.several, several[i][2]);
        assert_string_equal(facts.circumstances.refusal, "");
        assert_int_equal(facts.circumstances.unsure, strcmp(several[i][2], "WORLD_SIZE=2") == 0);
    }
    around_two(root, "WORLD_SIZE=8", "SLURM_JOB_NUM_NODES=2");
    assert_string_equal(facts.circumstances.several, "SLURM_JOB_NUM_NODES=2");
    assert_false(facts.circumstances.unsure);
    around_two(root, "OMPI_COMM_WORLD_SIZE=8", "WORLD_SIZE=8");
    assert_true(facts.circumstances.unsure);
    for (size_t i = 0; i < COUNT(refusals); i++) {
        assert_string_equal(around(root, refusals[i][0])->refusal, refusals[i][1]);
        assert_string_equal(facts.circumstances.several, "");
    }
    facts.data = &guesses;
    cua_circumstances_gather(&facts, &subject);
    assert_string_equal(facts.circumstances.several, "");
    root_remove(root);
}

/* By these a job may reach other nodes. */
static void devices(void **state)
{
    static const char *const rows[][2] = {
        {"/dev/infiniband/uverbs0", "/dev/infiniband/uverbs*"},
        {"/dev/infiniband/uverbs17", "/dev/infiniband/uverbs*"},
        {"/dev/infiniband/rdma_cm", ""}, /* is there without any network device */
        {"/dev/infiniband/umad0", ""},
        {"/dev/uverbs0", ""},
        {"/dev/cxi0", "/dev/cxi*"},
        {"/dev/infiniband/cxi0", ""},
        {"/dev/nvidia-caps-imex-channels/channel0", "/dev/nvidia-caps-imex-channels/*"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *root = root_make();
        root_text(root, rows[i][0], "");
        assert_string_equal(around(root, NULL)->several, rows[i][1]);
        assert_string_equal(around(root, "WORLD_SIZE=8")->several,
                            rows[i][1][0] ? rows[i][1] : "WORLD_SIZE=8");
        assert_int_equal(facts.circumstances.unsure, !rows[i][1][0]);
        root_remove(root);
    }
}

/* Which passes on the calls of the host's driver alone. */
static void gvisor(void **state)
{
    static const char *const rows[][2] = {
        {"Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n", "gVisor"},
        {"Linux version 4.19.0-gvisor #1 SMP Sun Jan 10 15:06:54 PST 2016\n", "gVisor"},
        {"Linux version 6.1.0-49-amd64 (gcc-12) #1 SMP PREEMPT_DYNAMIC Debian 6.1.170\n", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *root = root_make();
        root_text(root, "/proc/version", rows[i][0]);
        assert_string_equal(around(root, NULL)->several, rows[i][1]);
        around(root, "WORLD_SIZE=8");
        assert_int_equal(facts.circumstances.unsure, !rows[i][1][0]);
        root_remove(root);
    }
}

/* What cpuid answers on a machine. */
static struct {
    unsigned leaf, out[4];
} leaves[6];

static void ask(unsigned leaf, unsigned out[4])
{
    memset(out, 0, 4 * sizeof(*out));
    for (size_t i = 0; i < COUNT(leaves); i++)
        if (leaves[i].leaf == leaf && leaves[i].out[0] + leaves[i].out[1] + leaves[i].out[2])
            memcpy(out, leaves[i].out, sizeof(leaves[i].out));
}

static void leaf(size_t at, unsigned leaf, unsigned eax, unsigned ebx, unsigned ecx, unsigned edx)
{
    leaves[at].leaf = leaf;
    memcpy(leaves[at].out, (unsigned[]){eax, ebx, ecx, edx}, sizeof(leaves[at].out));
}

/* A confidential machine, by Linux' arch/x86/include/asm/shared/tdx.h and hyperv-tlfs.h. */
static void isolated(void **state)
{
    (void)state;
    leaf(0, 0, 0x20, 0, 0, 0);
    leaf(1, 1, 0, 0, 0, 0);
    leaf(2, 0x21, 0, 0x65746e49, 0x20202020, 0x5844546c); /* IntelTDX */
    assert_false(cua_isolated_by(ask));
    leaf(1, 1, 0, 0, 1u << 31, 0);
    assert_false(cua_isolated_by(ask)); /* the leaf is above the last */
    leaf(0, 0, 0x21, 0, 0, 0);
    assert_true(cua_isolated_by(ask));
    leaf(2, 0x21, 0, 0, 0, 0);
    assert_false(cua_isolated_by(ask));
    leaf(3, 0x40000000, 0x4000000c, 0x7263694d, 0x666f736f, 0x76482074); /* Microsoft Hv */
    leaf(4, 0x40000003, 0, 1u << 22, 0, 0);
    for (unsigned type = 0; type < 16; type++) {
        leaf(5, 0x4000000c, 1, 0xfe0 + type, 0, 0);
        assert_int_equal(cua_isolated_by(ask), type == 2 || type == 3);
    }
    leaf(5, 0x4000000c, 1, 2, 0, 0);
    leaf(3, 0x40000000, 0x4000000b, 0x7263694d, 0x666f736f, 0x76482074);
    assert_false(cua_isolated_by(ask));
    leaf(3, 0x40000000, 0x4000000c, 0x4b4d564b, 0x564b4d56, 0x4d); /* KVM */
    assert_false(cua_isolated_by(ask));
    leaf(3, 0x40000000, 0x4000000c, 0x7263694d, 0x666f736f, 0x76482074);
    leaf(4, 0x40000003, 0, 1, 0, 0);
    assert_false(cua_isolated_by(ask));
}

/* Where nothing was asked of NVIDIA's toolkit: by what lies beside the host's driver. */
static void graphics_beside_native(void **state)
{
    static const char *const names[] = {"libGLX_nvidia.so.0", "libEGL_nvidia.so.0"};
    char *env[] = {NULL, NULL};
    const struct cua_subject subject = {.sysroot = "", .env = env};

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        char *root = root_make(), path[64];
        machine(KMD);
        struct cua_umd *native = loader(LIB, KMD);
        free(native->real);
        assert_true(asprintf(&native->real, "%s/lib/libcuda.so.1", root) > 0);
        env[0] = NULL;
        cua_circumstances_gather(&facts, &subject);
        assert_false(facts.circumstances.graphics);
        snprintf(path, sizeof(path), "/lib/%s", names[i]);
        root_text(root, path, "");
        cua_circumstances_gather(&facts, &subject);
        assert_true(facts.circumstances.graphics);
        env[0] = (char *)"NVIDIA_DRIVER_CAPABILITIES=compute,utility";
        cua_circumstances_gather(&facts, &subject);
        assert_false(facts.circumstances.graphics);
        root_remove(root);
    }
}

static void circumstances(void **state)
{
    char *root = root_make();

    (void)state;
    assert_false(around(root, NULL)->mig || facts.circumstances.confidential ||
                 facts.circumstances.graphics);
    assert_true(around(root, "CUDA_VISIBLE_DEVICES=MIG-3a")->mig);
    assert_true(around(root, "NVIDIA_VISIBLE_DEVICES=MIG-3a")->mig);
    assert_false(around(root, "NVIDIA_VISIBLE_DEVICES=GPU-3a")->mig);
    assert_false(around(root, "NVIDIA_DRIVER_CAPABILITIES=compute,utility")->graphics);
    assert_true(around(root, "NVIDIA_DRIVER_CAPABILITIES=all")->graphics);
    assert_true(around(root, "NVIDIA_DRIVER_CAPABILITIES=compute,graphics")->graphics);
    assert_true(around(root, "NVIDIA_DRIVER_CAPABILITIES=display")->graphics);
    root_text(root, "/proc/driver/nvidia/capabilities/gpu0/mig/config", "x");
    assert_false(around(root, NULL)->mig);
    root_text(root, "/proc/driver/nvidia/capabilities/gpu0/mig/gi1/access", "x");
    assert_true(around(root, NULL)->mig);
    root_text(root, "/sys/class/misc/sev-guest/uevent", "x");
    assert_true(around(root, NULL)->confidential);
    root_remove(root);
    root = root_make();
    root_text(root, "/sys/class/misc/tdx_guest/uevent", "x");
    assert_true(around(root, NULL)->confidential);
    root_remove(root);
    root = root_make();
    root_text(root, "/sys/devices/platform/sev-guest/uevent", "x"); /* its module is not loaded */
    assert_true(around(root, NULL)->confidential);
    root_remove(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(yes_takes_it_after_a_trial_that_answers_0, end_machine),
        cmocka_unit_test_teardown(with_no_nothing_is_asked, end_machine),
        cmocka_unit_test_teardown(auto_decides_for_the_container, end_machine),
        cmocka_unit_test_teardown(auto_goes_by_the_container, end_machine),
        cmocka_unit_test_teardown(a_number_of_ranks_alone_goes_by_the_container, end_machine),
        cmocka_unit_test_teardown(who_does_not_ask_the_container, end_machine),
        cmocka_unit_test_teardown(each_condition_counts, end_machine),
        cmocka_unit_test_teardown(what_the_program_needs, end_machine),
        cmocka_unit_test_teardown(a_later_major_goes_by_the_same_need, end_machine),
        cmocka_unit_test_teardown(auto_names_it, end_machine),
        cmocka_unit_test_teardown(circumstances, end_machine),
        cmocka_unit_test_teardown(graphics_beside_native, end_machine),
        cmocka_unit_test_teardown(signs, end_machine),
        cmocka_unit_test_teardown(devices, end_machine),
        cmocka_unit_test_teardown(gvisor, end_machine),
        cmocka_unit_test(isolated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
