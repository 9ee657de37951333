/* SPDX-License-Identifier: Apache-2.0 */
/* The tables: in order, complete, of one piece; what is asked of them; files in their place. */
#include "unit.h"
#include "root.h"
#include "tables/tables.h"
#include "base/version.h"
#include "machine/subject.h"
#include "tables/load.h"
#include "tables/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUN(...) (&(struct cua_row_measured){__VA_ARGS__})

#define DATA (&cua_data_builtin)

#define FILES "/etc/cuarbiter/data/"

static bool umd_branch_known(unsigned branch)
{
    struct cua_version version = {.part = {branch}};

    return cua_data_umd_cuda(NULL, &version) != 0;
}

static void branches_grow_and_cuda_with_them(void **state)
{
    (void)state;
    for (size_t i = 1; i < DATA->umds; i++) {
        assert_true(DATA->umd[i].branch > DATA->umd[i - 1].branch);
        assert_true(DATA->umd[i].cuda >= DATA->umd[i - 1].cuda);
    }
    assert_int_equal(cua_data_newest_branch(NULL), DATA->umd[DATA->umds - 1].branch);
    assert_int_equal(strlen(DATA->date), strlen("2026-11-21"));
}

static void forward_lists_are_complete(void **state)
{
    (void)state;
    for (size_t i = 0; i < DATA->forwards; i++) {
        const struct cua_row_forward *row = &DATA->forward[i];
        size_t n = 0;
        assert_true(i == 0 || row->branch > row[-1].branch);
        assert_true(umd_branch_known(row->branch));
        for (; n < CUA_DATA_BRANCHES && row->kmd[n]; n++)
            assert_true(n == 0 || row->kmd[n] > row->kmd[n - 1]);
        assert_true(n >= 2 && row->kmd[n - 1] == row->branch);
    }
    /* Every branch that came with a toolkit from CUDA 10 on has its cuda-compat. */
    for (size_t i = 0; i < DATA->toolkits; i++)
        if (DATA->toolkit[i].cuda >= 10000)
            assert_non_null(cua_data_forward(NULL, DATA->toolkit[i].released.part[0]));
}

static void every_list_knows_its_cuda(void **state)
{
    (void)state;
    for (size_t i = 0; i < DATA->toolkits; i++) {
        const struct cua_row_toolkit *row = &DATA->toolkit[i];
        assert_true(i == 0 || row->cuda > row[-1].cuda);
        assert_int_equal(cua_data_umd_cuda(NULL, &row->released), row->cuda);
        assert_true(cua_version_compare(&row->least, &row->released) <= 0);
    }
    for (size_t i = 0; i < DATA->tegras; i++)
        assert_true(DATA->tegra[i].cuda >= 10000);
}

static void brands_and_capabilities_begin_at_the_beginning(void **state)
{
    const uint32_t consumer = 1u << 5 | 1u << 6 | 1u << 15 | 1u << 16;

    (void)state;
    assert_int_equal(DATA->brands[0].umd, 0);
    assert_int_equal(DATA->brands[0].kmd, 0);
    for (size_t i = 0; i < DATA->brandses; i++) {
        assert_true(i == 0 || DATA->brands[i].umd >= DATA->brands[i - 1].umd);
        assert_int_equal(DATA->brands[i].brands & consumer, 0);
        assert_true(DATA->brands[i].brands & 1u << 2); /* Tesla */
    }
    assert_int_equal(DATA->cc[0].branch, 0);
    for (size_t i = 1; i < DATA->ccs; i++)
        assert_true(DATA->cc[i].branch > DATA->cc[i - 1].branch &&
                    DATA->cc[i].cc > DATA->cc[i - 1].cc);
}

static void gpus_are_sane(void **state)
{
    (void)state;
    for (size_t i = 0; i < DATA->models; i++) {
        const struct cua_row_model *row = &DATA->model[i];
        char name[96];
        assert_true(i == 0 || strcmp(row->pattern, row[-1].pattern) > 0);
        assert_true(row->brand != CUA_BRAND_UNKNOWN || row->cc);
        assert_true(row->cc == 0 || (row->cc >= 20 && row->cc < 200));
        /* Each pattern finds itself. */
        snprintf(name, sizeof(name), "%s", row->pattern);
        name[strcspn(name, "*")] = '\0';
        const struct cua_known known = cua_data_gpu_by_model(NULL, name);
        assert_int_equal(known.brand, row->brand);
        assert_int_equal(known.cc, row->cc);
        assert_int_equal(known.grade,
                         row->brand == CUA_BRAND_UNKNOWN ? CUA_GRADE_NONE : row->grade);
    }
    for (size_t i = 0; i < DATA->pcis; i++) {
        assert_true(i == 0 || DATA->pci[i].device > DATA->pci[i - 1].device);
        const struct cua_known known = cua_data_gpu_by_pci(NULL, DATA->pci[i].device);
        assert_int_equal(known.brand, DATA->pci[i].brand);
        assert_int_equal(known.grade,
                         known.brand == CUA_BRAND_UNKNOWN ? CUA_GRADE_NONE : DATA->pci[i].grade);
        assert_true(known.cc >= 20 && known.cc < 200);
    }
    assert_true(DATA->pcis > 500);
}

static void every_row_has_a_grade(void **state)
{
    (void)state;
#define GRADED(rows, count)                                                                        \
    for (size_t i = 0; i < DATA->count; i++)                                                       \
    CUA_UNIT_WITHIN(DATA->rows[i].grade, CUA_GRADE_GUESS, CUA_GRADE_MEASURED)
    GRADED(umd, umds);
    GRADED(forward, forwards);
    GRADED(brands, brandses);
    GRADED(cc, ccs);
    GRADED(first, firsts);
    GRADED(toolkit, toolkits);
    GRADED(tegra, tegras);
    GRADED(model, models);
    GRADED(pci, pcis);
#undef GRADED
}

/* What NVIDIA's image or another build's note says of a pair must not be what a report refutes. */
static void runs_tell_what_they_are_about(void **state)
{
    const struct cua_row_measured two[] = {
        {550, 535, 5, 89, CUA_RUN_804},     {550, 535, 14, 80, CUA_RUN_STARTS},
        {590, 580, 2, 70, CUA_RUN_CONTEXT}, {590, 580, 14, 121, CUA_RUN_RUNS},
        {595, 565, 14, 90, CUA_RUN_803},    {600, 580, 2, 70, CUA_RUN_803},
        {600, 580, 2, 70, CUA_RUN_STARTS},
    };
    struct cua_data data = cua_data_builtin;

    (void)state;
    data.measured = two;
    data.measureds = sizeof(two) / sizeof(*two);
    assert_int_equal(cua_data_ran(&data, CUA_ON_BRANCH, RUN(.umd = 595, .kmd = 565)), CUA_WORKS_NO);
    assert_int_equal(cua_data_ran(&data, CUA_ON_BRANCH, RUN(.umd = 550, .kmd = 535)),
                     CUA_WORKS_YES);
    assert_int_equal(cua_data_ran(&data, CUA_ON_BRANCH, RUN(.umd = 550, .kmd = 545)),
                     CUA_WORKS_UNKNOWN);
    assert_int_equal(cua_data_ran(&data, CUA_ON_BRANCH, RUN(.umd = 600, .kmd = 580)),
                     CUA_WORKS_UNKNOWN);
    assert_int_equal(cua_data_ran(&data, CUA_ON_BRAND, RUN(.umd = 550, .kmd = 535, .brand = 5)),
                     CUA_WORKS_NO);
    assert_int_equal(cua_data_ran(&data, CUA_ON_BRAND, RUN(.umd = 550, .kmd = 535, .brand = 14)),
                     CUA_WORKS_YES);
    assert_int_equal(cua_data_ran(&data, CUA_ON_BRAND, RUN(.umd = 550, .kmd = 535, .brand = 2)),
                     CUA_WORKS_UNKNOWN);
    assert_int_equal(
        cua_data_ran(&data, CUA_ON_BRAND, RUN(.umd = 550, .kmd = 535, .brand = CUA_BRAND_UNKNOWN)),
        CUA_WORKS_UNKNOWN);
    assert_int_equal(cua_data_ran(&data, CUA_ON_BRAND, RUN(.umd = 595, .kmd = 565, .brand = 14)),
                     CUA_WORKS_UNKNOWN);
    assert_int_equal(cua_data_ran(&data, CUA_ON_CC, RUN(.umd = 590, .cc = 70)), CUA_WORKS_NO);
    assert_int_equal(cua_data_ran(&data, CUA_ON_CC, RUN(.umd = 590, .cc = 121)), CUA_WORKS_YES);
    assert_int_equal(cua_data_ran(&data, CUA_ON_CC, RUN(.umd = 590, .cc = 75)), CUA_WORKS_UNKNOWN);
    /* A 804 of one brand says nothing of another GPU with the same capability. */
    assert_int_equal(cua_data_ran(&data, CUA_ON_CC, RUN(.umd = 550, .cc = 89)), CUA_WORKS_UNKNOWN);
    assert_int_equal(cua_data_ran(&data, CUA_ON_CC, RUN(.umd = 550, .cc = 0)), CUA_WORKS_UNKNOWN);

    for (size_t i = 0; i < DATA->measureds; i++) {
        const struct cua_row_measured *row = &DATA->measured[i];
        enum cua_works branch =
            cua_data_ran(NULL, CUA_ON_BRANCH, RUN(.umd = row->umd, .kmd = row->kmd));
        const struct cua_row_forward *list = cua_data_forward(NULL, row->umd);
        bool found = false;
        assert_int_not_equal(branch, CUA_WORKS_UNKNOWN);
        for (size_t n = 0; list && n < CUA_DATA_BRANCHES && list->kmd[n]; n++)
            found |= list->kmd[n] == row->kmd;
        if (list && list->complete && list->grade == CUA_GRADE_DECLARED)
            assert_int_equal(found, branch == CUA_WORKS_YES);
    }
    assert_int_equal(cua_data_ran(NULL, CUA_ON_BRAND, RUN(.umd = 465, .kmd = 460, .brand = 5)),
                     CUA_WORKS_NO);
}

static void answers_what_is_asked(void **state)
{
    struct cua_version v = {.part = {550, 54, 14}};
    struct cua_version tegra[] = {{{540, 4, 0}, "540.4.0"},
                                  {{35, 3, 1}, "35.3.1"},
                                  {{540, 6, 0}, "540.6.0"},
                                  {{3, 5, 0}, "3.5"}};

    (void)state;
    assert_int_equal(cua_data_umd_cuda(NULL, &v), 12040);
    v.part[0] = 551;
    assert_int_equal(cua_data_umd_cuda(NULL, &v), 0);
    assert_null(cua_data_forward(NULL, 565));
    /* 440 is in the list of one build of that image alone. */
    const struct cua_row_forward *list = cua_data_forward(NULL, 470);
    for (size_t i = 0; i < CUA_DATA_BRANCHES; i++)
        assert_int_not_equal(list->kmd[i], 440);
    assert_int_equal(cua_data_brands(NULL, 520, 450), 1u << 2 | 1u << 14);
    assert_int_equal(cua_data_brands(NULL, 520, 470), 1u << 2 | 1u << 12 | 1u << 13 | 1u << 14);
    assert_int_equal(cua_data_brands(NULL, 580, 535), 0x7f86);
    assert_int_equal(cua_data_min_cc(NULL, 390), 20);
    assert_int_equal(cua_data_min_cc(NULL, 470), 30);
    assert_int_equal(cua_data_min_cc(NULL, 580), 50);
    assert_int_equal(cua_data_min_cc(NULL, 590), 75);
    assert_int_equal(cua_data_min_cc(NULL, cua_data_newest_branch(NULL) + 1), 0);
    assert_int_equal(cua_data_first_branch(NULL, 120), 570);
    assert_int_equal(cua_data_first_branch(NULL, 107), 615);
    assert_int_equal(cua_data_first_branch(NULL, 99), 0);
    assert_string_equal(cua_data_toolkit(NULL, 11020)->least.text, "450.80.02");
    assert_int_equal(cua_data_toolkit(NULL, 12070)->cuda, 12060);
    assert_string_equal(cua_data_toolkit(NULL, 13090)->least.text, "580");
    assert_null(cua_data_toolkit(NULL, 14000));
    struct cua_version jetpack6[] = {{{540, 2, 0}, "540.2.0"}, {{540, 3, 0}, "540.3.0"}};
    assert_int_equal(cua_data_tegra_cuda(NULL, &jetpack6[0]), 12020);
    assert_int_equal(cua_data_tegra_cuda(NULL, &jetpack6[1]), 12020);
    assert_int_equal(cua_data_tegra_cuda(NULL, &tegra[0]), 12060);
    assert_int_equal(cua_data_tegra_cuda(NULL, &tegra[1]), 11040);
    assert_int_equal(cua_data_tegra_cuda(NULL, &tegra[2]), 0);
    assert_int_equal(cua_data_tegra_cuda(NULL, &tegra[3]), 0);
    assert_int_equal(cua_brand_find("nvidia-rtx"), 13);
    assert_int_equal(cua_brand_find("unknown"), CUA_BRAND_UNKNOWN);
    assert_string_equal(cua_brand_name(5), "geforce");
    assert_string_equal(cua_brand_name(99), "unknown");
    assert_string_equal(cua_brand_name(CUA_BRAND_UNKNOWN), "unknown");
}

/* What was found of the newest branches, and what was not: 550 on 595 and 610, two images or builds
 * differ. */
static void newest_branches_are_as_published(void **state)
{
    static const struct {
        unsigned umd, kmd;
        bool listed;
    } pairs[] = {
        {595, 535, true}, {595, 570, true}, {595, 590, true}, {595, 550, false}, {610, 535, true},
        {610, 570, true}, {610, 580, true}, {610, 595, true}, {610, 550, false}, {610, 565, false},
    };
    static const struct {
        const char *model;
        unsigned cc;
    } gpus[] = {{"NVIDIA VR200", 107}, {"NVIDIA Thor", 110}, {"Orin", 87}, {"Orin (nvgpu)", 87}};

    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        const struct cua_row_forward *list = cua_data_forward(NULL, pairs[i].umd);
        bool found = false;
        for (size_t n = 0; n < CUA_DATA_BRANCHES && list->kmd[n]; n++)
            found |= list->kmd[n] == pairs[i].kmd;
        assert_int_equal(found, pairs[i].listed);
        assert_false(list->complete);
        assert_int_equal(list->grade, CUA_GRADE_DECLARED);
    }
    assert_int_equal(cua_data_ran(NULL, CUA_ON_BRANCH, RUN(.umd = 615, .kmd = 535)), CUA_WORKS_YES);
    for (size_t i = 0; i < sizeof(gpus) / sizeof(*gpus); i++)
        assert_int_equal(cua_data_gpu_by_model(NULL, gpus[i].model).cc, gpus[i].cc);
    assert_int_equal(cua_data_gpu_by_pci(NULL, 0x307f).cc, 107);
}

/* Whether a text is taken for the table; the built-in one stays where it is not. */
static bool takes(const char *file, const char *text)
{
    struct cua_data data = cua_data_builtin;
    char *copy = strdup(text);
    bool taken = cua_data_replace(&data, file, copy);

    if (!taken) {
        assert_true(data.trouble[0]);
        assert_ptr_equal(data.umd, cua_data_builtin.umd);
        assert_int_equal(data.pcis, cua_data_builtin.pcis);
    }
    free(copy); /* what points into it is not looked at */
    if (taken && data.umd != cua_data_builtin.umd)
        free((void *)data.umd);
    if (taken && data.forward != cua_data_builtin.forward)
        free((void *)data.forward);
    if (taken && data.measured != cua_data_builtin.measured)
        free((void *)data.measured);
    if (taken && data.brands != cua_data_builtin.brands)
        free((void *)data.brands);
    if (taken && data.cc != cua_data_builtin.cc)
        free((void *)data.cc);
    if (taken && data.first != cua_data_builtin.first)
        free((void *)data.first);
    if (taken && data.toolkit != cua_data_builtin.toolkit)
        free((void *)data.toolkit);
    if (taken && data.tegra != cua_data_builtin.tegra)
        free((void *)data.tegra);
    if (taken && data.model != cua_data_builtin.model)
        free((void *)data.model);
    if (taken && data.pci != cua_data_builtin.pci)
        free((void *)data.pci);
    if (taken && data.sign != cua_data_builtin.sign)
        free((void *)data.sign);
    return taken;
}

static void takes_tables_and_nothing_else(void **state)
{
    (void)state;
    assert_true(takes("umd.tsv", "# c\n550\t12.4\tdeclared\ts\n990\t14.0\tguess\ts"));
    assert_true(takes("forward.tsv", "990\tno\t580 615 990\tmeasured\ts\n"));
    assert_true(takes("brands.tsv", "0\t0\ttesla nvidia\tguess\ts\n0\t470\tquadro\tguess\ts\n"));
    assert_true(takes("min-cc.tsv", "0\t2.0\tguess\ts\n700\t8.0\tguess\ts\n"));
    assert_true(takes("first-driver.tsv", "7.5\t410\tguess\ts\n14.0\t700\tguess\ts\n"));
    assert_true(takes("measured.tsv", "990\t580\t-\t-\truns\ts\n990\t580\tgeforce\t8.9\t804\ts\n"));
    assert_true(takes("toolkit.tsv", "14.0\t990.10.01\t990\tguess\ts\n"));
    assert_true(takes("tegra.tsv", "36\t12.6\tguess\ts\n"));
    assert_true(takes("models.tsv", "X1*\t-\t13.0\tguess\ts\nA\tnvidia\t-\tguess\ts\n"));
    assert_true(takes("pci.tsv", "2684\tgeforce\t8.9\tGeForce RTX 4090\tguess\ts\n"));
    assert_true(
        takes("signs.tsv", "A\tis\t0\tguess\ts\nB\tset\t-\tguess\ts\nC\tabove\tD\tguess\ts\n"));
    assert_true(takes("signs.tsv", "/dev/x*\tdevice\t-\tguess\ts\n"));

    static const char *const none[][2] = {
        {"umd.tsv", ""},
        {"umd.tsv", "# only words\n"},
        {"umd.tsv", "550\t12.4\tguess\n"},
        {"umd.tsv", "550\t12.4\ts\n"},
        {"umd.tsv", "550\t12.4\tnote\ts\n"},
        {"umd.tsv", "550\t12.4\t\ts\n"},
        {"umd.tsv", "550\t12.4\tguess\ts\tmore\n"},
        {"umd.tsv", "550 12.4 guess s\n"},
        {"umd.tsv", "990\t14.0\tguess\ts\n550\t12.4\tguess\ts\n"},
        {"umd.tsv", "x\t12.4\tguess\ts\n"},
        {"umd.tsv", "550\t12\tguess\ts\n"},
        {"umd.tsv", "550\t-\tguess\ts\n"},
        {"umd.tsv", "550\t12.45\tguess\ts\n"},
        {"umd.tsv", "5500000\t12.4\tguess\ts\n"},
        {"umd.tsv", "550\t12.4\tguess\ts\n\n"},
        {"forward.tsv", "990\tperhaps\t580\tguess\ts\n"},
        {"forward.tsv", "990\tyes\t\tguess\ts\n"},
        {"forward.tsv", "990\tyes\t580 x\tguess\ts\n"},
        {"forward.tsv", "990\tyes\t580\tsure\ts\n"},
        {"forward.tsv", "990\tyes\t1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
                        "1\tguess\ts\n"},
        {"brands.tsv", "0\t0\tradeon\tguess\ts\n"},
        {"brands.tsv", "0\t0\t-\tguess\ts\n"},
        {"brands.tsv", "0\t0\ttesla\ts\ts\n"},
        {"min-cc.tsv", "0\t-\tguess\ts\n"},
        {"first-driver.tsv", "-\t410\tguess\ts\n"},
        {"first-driver.tsv", "7.5\tx\tguess\ts\n"},
        {"min-cc.tsv", "0\t5.0\t5.0\ts\n"},
        {"measured.tsv", "990\t580\t-\t-\tworks\ts\n"},
        {"measured.tsv", "580\t580\t-\t-\truns\ts\n"},
        {"measured.tsv", "990\t580\tradeon\t-\truns\ts\n"},
        {"measured.tsv", "990\t580\t-\tx\truns\ts\n"},
        {"toolkit.tsv", "12.4\t550\tx\tguess\ts\n"},
        {"toolkit.tsv", "12.4\t\t550\tguess\ts\n"},
        {"toolkit.tsv", "12.4\t550\t550\t\ts\n"},
        {"tegra.tsv", "36\t12.6\tx\ts\n"},
        {"models.tsv", "\tnvidia\t8.0\tguess\ts\n"},
        {"models.tsv", "A100\tnvidea\t8.0\tguess\ts\n"},
        {"models.tsv", "A100\tnvidia\t8.0\tx\ts\n"},
        {"pci.tsv", "26842\tgeforce\t8.9\tn\tguess\ts\n"},
        {"pci.tsv", "268\tgeforce\t8.9\tn\tguess\ts\n"},
        {"pci.tsv", "zzzz\tgeforce\t8.9\tn\tguess\ts\n"},
        {"pci.tsv", "2684\tgeforce\t8.9\tn\tx\ts\n"},
        {"signs.tsv", "A\tbelow\t0\tguess\ts\n"},
        {"signs.tsv", "A*\tdevice\t-\tguess\ts\n"},
        {"signs.tsv", "/dev/x\tdevice\t-\tguess\ts\n"},
        {"signs.tsv", "\tis\t0\tguess\ts\n"},
        {"signs.tsv", "A\tis\t\tguess\ts\n"},
        {"signs.tsv", "A\tis\t0\tnote\ts\n"},
        {"pci.tsv", "2685\t-\t8.9\tn\tguess\ts\n2684\t-\t8.9\tn\tguess\ts\n"},
    };
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
        if (takes(none[i][0], none[i][1]))
            fail_msg("taken for %s: %s", none[i][0], none[i][1]);
    struct cua_data data = cua_data_builtin;
    char text[] = "x", words[] = "# only words\n";
    assert_false(cua_data_replace(&data, "other.tsv", text));
    assert_false(cua_data_replace(&data, "umd.tsv", words));
    assert_string_equal(data.trouble, FILES "umd.tsv is ignored: it has no rows");
}

static bool memory_is_short;
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_realloc(void *old, size_t size)
{
    return memory_is_short ? NULL : __real_realloc(old, size);
}

/* What is wrong with a table, in words. */
static void is_wrong(const char *file, const char *text, const char *trouble)
{
    struct cua_data data = cua_data_builtin;
    char *copy = strdup(text);

    assert_false(cua_data_replace(&data, file, copy));
    assert_string_equal(data.trouble, trouble);
    free(copy);
}

static void says_what_is_wrong(void **state)
{
    static const char row[] = "550\t12.4\tguess\ts\n";
    char *many = calloc(4098, sizeof(row));

    (void)state;
    is_wrong("umd.tsv", "# a\nx\n", FILES "umd.tsv is ignored: line 2 is not a row of this table");
    is_wrong("umd.tsv", "560\t12.6\tguess\ts\n550\t12.4\tguess\ts\n",
             FILES "umd.tsv is ignored: line 2 begins with a lower number than the row before");
    is_wrong("umd.tsv", "", FILES "umd.tsv is ignored: it has no rows");
    is_wrong("umd.tsv", "# a\n# b\n", FILES "umd.tsv is ignored: it has no rows");
    for (size_t i = 0; i < 4097; i++)
        memcpy(many + i * (sizeof(row) - 1), row, sizeof(row) - 1);
    is_wrong("umd.tsv", many, FILES "umd.tsv is ignored: it has more than 4096 rows");
    free(many);
    memory_is_short = true;
    is_wrong("umd.tsv", row, FILES "umd.tsv is ignored: there is no memory for it");
    memory_is_short = false;
}

static void files_of_root_replace_tables(void **state)
{
    char *root = root_make(), *other = root_make();
    struct cua_subject subject = {.sysroot = root};

    (void)state;
    assert_ptr_equal(cua_data_for(&subject), &cua_data_builtin);
    root_text(root, "/etc/cuarbiter/data/meta.tsv", "date\t2027-03-01\tus\n");
    root_text(root, "/etc/cuarbiter/data/umd.tsv", "990\t14.0\tguess\tus\n991\t14.1\tguess\tus\n");
    root_text(root, "/etc/cuarbiter/data/pci.tsv", "not a table\n");
    root_text(root, "/etc/cuarbiter/data/brands.tsv", "0\t0\tgeforce\tguess\tanybody\n");
    root_mode(root, "/etc/cuarbiter/data/brands.tsv", 0666);
    const struct cua_data *data = cua_data_for(&subject);
    if (geteuid() != 0) {
        /* Nothing here is root's. */
        assert_ptr_equal(data, &cua_data_builtin);
    } else {
        assert_string_equal(data->date, "2027-03-01");
        assert_int_equal(cua_data_newest_branch(data), 991);
        assert_string_equal(data->replaced, "umd.tsv");
        assert_string_equal(data->trouble,
                            FILES "pci.tsv is ignored: line 1 is not a row of this table");
        assert_ptr_equal(data->brands, cua_data_builtin.brands);
        assert_ptr_equal(data->pci, cua_data_builtin.pci);
        assert_ptr_equal(cua_data_for(&subject), data);
    }
    subject.sysroot = other;
    assert_ptr_equal(cua_data_for(&subject), &cua_data_builtin);
    root_text(other, "/etc/cuarbiter/data/umd.tsv", "990\t14.0\tguess\tus\n");
    root_mode(other, "/etc/cuarbiter/data", 0777);
    assert_ptr_equal(cua_data_for(&subject), &cua_data_builtin);
    root_remove(root);
    root_remove(other);
}

static void built_in_files_are_taken_again(void **state)
{
    (void)state;
    for (size_t i = 0; cua_data_file(i); i++) {
        char path[4096];
        size_t size;
        snprintf(path, sizeof(path), "%s/%s", CUA_TEST_DATA, cua_data_file(i));
        char *text = file_read(path, &size);
        char *ended = calloc(1, size + 1);
        memcpy(ended, text, size);
        if (!takes(cua_data_file(i), ended))
            fail_msg("%s", cua_data_file(i));
        free(ended);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_grow_and_cuda_with_them),
        cmocka_unit_test(forward_lists_are_complete),
        cmocka_unit_test(every_list_knows_its_cuda),
        cmocka_unit_test(brands_and_capabilities_begin_at_the_beginning),
        cmocka_unit_test(gpus_are_sane),
        cmocka_unit_test(every_row_has_a_grade),
        cmocka_unit_test(runs_tell_what_they_are_about),
        cmocka_unit_test(answers_what_is_asked),
        cmocka_unit_test(newest_branches_are_as_published),
        cmocka_unit_test(takes_tables_and_nothing_else),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(files_of_root_replace_tables),
        cmocka_unit_test(built_in_files_are_taken_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
