/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/tables.h"

#include <string.h>

#include "base/text.h"

static const struct cua_data *or_builtin(const struct cua_data *data)
{
    return data ? data : &cua_data_builtin;
}

const char *cua_data_date(const struct cua_data *data)
{
    return or_builtin(data)->date;
}

unsigned cua_data_newest_branch(const struct cua_data *data)
{
    data = or_builtin(data);
    return data->umds ? data->umd[data->umds - 1].branch : 0;
}

unsigned cua_data_umd_cuda(const struct cua_data *data, const struct cua_version *umd)
{
    data = or_builtin(data);
    for (size_t i = 0; i < data->umds; i++)
        if (data->umd[i].branch == umd->part[0])
            return data->umd[i].cuda;
    return 0;
}

unsigned cua_data_tegra_cuda(const struct cua_data *data, const struct cua_version *kmd)
{
    unsigned cuda = 0;

    data = or_builtin(data);
    for (size_t i = 0; i < data->tegras; i++) {
        const char *version = data->tegra[i].version;
        size_t first = strcspn(kmd->text, ".");
        if (strcmp(version, kmd->text) == 0 ||
            (strlen(version) == first && strncmp(version, kmd->text, first) == 0))
            cuda = data->tegra[i].cuda;
    }
    return cuda;
}

const struct cua_row_forward *cua_data_forward(const struct cua_data *data, unsigned umd_branch)
{
    data = or_builtin(data);
    for (size_t i = 0; i < data->forwards; i++)
        if (data->forward[i].branch == umd_branch)
            return &data->forward[i];
    return NULL;
}

uint32_t cua_data_brands(const struct cua_data *data, unsigned umd_branch, unsigned kmd_branch)
{
    uint32_t brands = 0;

    data = or_builtin(data);
    for (size_t i = 0; i < data->brandses; i++)
        if (data->brands[i].umd <= umd_branch && data->brands[i].kmd <= kmd_branch)
            brands = data->brands[i].brands;
    return brands;
}

unsigned cua_data_min_cc(const struct cua_data *data, unsigned umd_branch)
{
    unsigned cc = 0;

    data = or_builtin(data);
    if (umd_branch > cua_data_newest_branch(data))
        return 0;
    for (size_t i = 0; i < data->ccs && data->cc[i].branch <= umd_branch; i++)
        cc = data->cc[i].cc;
    return cc;
}

/* 803 is decided before the brand is looked at, 804 before any context is made. */
enum condition { BRANCH, BRAND, CC };
static const enum cua_told told_by[][3] = {
    [CUA_RUN_803] = {CUA_TOLD_FAILS, CUA_TOLD_NOTHING, CUA_TOLD_NOTHING},
    [CUA_RUN_804] = {CUA_TOLD_WORKS, CUA_TOLD_FAILS, CUA_TOLD_NOTHING},
    [CUA_RUN_CONTEXT] = {CUA_TOLD_WORKS, CUA_TOLD_WORKS, CUA_TOLD_FAILS},
    [CUA_RUN_STARTS] = {CUA_TOLD_WORKS, CUA_TOLD_WORKS, CUA_TOLD_NOTHING},
    [CUA_RUN_RUNS] = {CUA_TOLD_WORKS, CUA_TOLD_WORKS, CUA_TOLD_WORKS},
};

/* What the reports that are like `wanted` in what the condition is about tell of it. */
static enum cua_told ask_runs(const struct cua_data *data, enum condition condition,
                              const struct cua_row_measured *wanted)
{
    enum cua_told all = CUA_TOLD_NOTHING;

    data = or_builtin(data);
    for (size_t i = 0; i < data->measureds; i++) {
        const struct cua_row_measured *row = &data->measured[i];
        enum cua_told told = told_by[row->end][condition];
        bool same = row->umd == wanted->umd && (condition == CC || row->kmd == wanted->kmd);
        if (!same || told == CUA_TOLD_NOTHING ||
            (condition == BRAND && row->brand != wanted->brand) ||
            (condition == CC && row->cc != wanted->cc))
            continue;
        if (all != CUA_TOLD_NOTHING && all != told)
            return CUA_TOLD_NOTHING;
        all = told;
    }
    return all;
}

enum cua_told cua_data_ran_on_branch(const struct cua_data *data, unsigned umd, unsigned kmd)
{
    return ask_runs(data, BRANCH, &(struct cua_row_measured){.umd = umd, .kmd = kmd});
}

enum cua_told cua_data_ran_on_brand(const struct cua_data *data, unsigned umd, unsigned kmd,
                                    int brand)
{
    if (brand == CUA_BRAND_UNKNOWN)
        return CUA_TOLD_NOTHING;
    return ask_runs(data, BRAND,
                    &(struct cua_row_measured){.umd = umd, .kmd = kmd, .brand = brand});
}

enum cua_told cua_data_ran_on_cc(const struct cua_data *data, unsigned umd, unsigned cc)
{
    if (!cc)
        return CUA_TOLD_NOTHING;
    return ask_runs(data, CC, &(struct cua_row_measured){.umd = umd, .cc = cc});
}

const struct cua_row_toolkit *cua_data_toolkit(const struct cua_data *data, unsigned cuda)
{
    const struct cua_row_toolkit *found = NULL;

    data = or_builtin(data);
    for (size_t i = 0; i < data->toolkits; i++) {
        const struct cua_row_toolkit *row = &data->toolkit[i];
        if (row->cuda / 1000 == cuda / 1000 && (row->cuda <= cuda || !found))
            found = row;
    }
    return found;
}

/* "A100" fits "A100-SXM4-40GB" and not "A100D"; "GeForce*" fits whatever begins so. */
static size_t fits(const char *pattern, const char *name)
{
    size_t length = strcspn(pattern, "*");

    if (strncmp(pattern, name, length) != 0 ||
        (!pattern[length] && name[length] && !strchr(" -/", name[length])))
        return 0;
    return length;
}

/*
 * The brand of a virtual GPU by its type, e.g. T4-8C, A100-1-5CME: the last letter is the licence,
 * Q vWS, C vCS, B vPC, A vApps; T4-2B4 is a vPC for four displays. (docs.nvidia.com/vgpu, virtual
 * GPU types; a V100DX-16Q answers brand 10, gpuopenanalytics/pynvml#38.) Cuts the type off `name`.
 */
static int vgpu_brand(char *name)
{
    static const char licences[] = "ABCQ"; /* brands 7 to 10 */
    size_t end = strlen(name);

    if (end > 2 && strcmp(name + end - 2, "ME") == 0)
        end -= 2;
    else if (end > 2 && strcmp(name + end - 2, "B4") == 0)
        end--;
    if (end < 3)
        return CUA_BRAND_UNKNOWN;
    const char *licence = strchr(licences, name[--end]);
    size_t digits = end;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
        end--;
    if (!licence || end == digits || end < 2 || name[end - 1] != '-')
        return CUA_BRAND_UNKNOWN;
    name[end - 1] = '\0';
    return 7 + (int)(licence - licences);
}

/* The row whose pattern fits best, and the brand of a virtual GPU; NULL and CUA_BRAND_UNKNOWN. */
static const struct cua_row_model *find_model(const struct cua_data *data, const char *model,
                                              int *vgpu)
{
    const struct cua_row_model *found = NULL;
    char name[96];
    size_t best = 0;

    *vgpu = CUA_BRAND_UNKNOWN;
    if (strncmp(model, "NVIDIA ", 7) == 0)
        model += 7;
    if (strlen(model) >= sizeof(name))
        return NULL;
    strcpy(name, model);
    *vgpu = vgpu_brand(name);
    for (size_t i = 0; i < data->models; i++) {
        size_t length = fits(data->model[i].pattern, name);
        if (length > best) {
            best = length;
            found = &data->model[i];
        }
    }
    return found;
}

static const struct cua_row_pci *find_pci(const struct cua_data *data, unsigned device)
{
    for (size_t i = 0; i < data->pcis; i++)
        if (data->pci[i].device == device)
            return &data->pci[i];
    return NULL;
}

bool cua_data_gpu_by_model(const struct cua_data *data, const char *model, int *brand, unsigned *cc)
{
    const struct cua_row_model *row = find_model(or_builtin(data), model, brand);

    if (*brand == CUA_BRAND_UNKNOWN && row)
        *brand = row->brand;
    *cc = row ? row->cc : 0;
    return *brand != CUA_BRAND_UNKNOWN || *cc != 0;
}

bool cua_data_gpu_by_pci(const struct cua_data *data, unsigned device, int *brand, unsigned *cc)
{
    const struct cua_row_pci *row = find_pci(or_builtin(data), device);

    *brand = row ? row->brand : CUA_BRAND_UNKNOWN;
    *cc = row ? row->cc : 0;
    return row != NULL;
}

/* NVIDIA's documentation of virtual GPUs names theirs. */
enum cua_grade cua_data_brand_grade(const struct cua_data *data, const char *model, unsigned device)
{
    int vgpu;
    const struct cua_row_model *row = find_model(or_builtin(data), model, &vgpu);
    const struct cua_row_pci *pci = find_pci(or_builtin(data), device);

    if (vgpu != CUA_BRAND_UNKNOWN)
        return CUA_GRADE_DECLARED;
    if (row && row->brand != CUA_BRAND_UNKNOWN)
        return row->grade;
    return pci && pci->brand != CUA_BRAND_UNKNOWN ? pci->grade : CUA_GRADE_NONE;
}

/* nvmlBrandType_t of nvml.h, in its order; GeForce RTX (15) and Titan RTX (16) are unused there. */
static const char *const brand_names[] = {
    "unknown",    "quadro",     "tesla",  "nvs",         "grid",      "geforce",
    "titan",      "vapps",      "vpc",    "vcs",         "vws",       "cloud-gaming",
    "quadro-rtx", "nvidia-rtx", "nvidia", "geforce-rtx", "titan-rtx",
};
#define BRANDS (int)(sizeof(brand_names) / sizeof(brand_names[0]))

const char *cua_brand_name(int brand)
{
    return brand > 0 && brand < BRANDS ? brand_names[brand] : "unknown";
}

int cua_brand_find(const char *name)
{
    int found = cua_find(brand_names, BRANDS, name);

    return found > 0 ? found : CUA_BRAND_UNKNOWN;
}
