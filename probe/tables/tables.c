/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/tables.h"

#include <string.h>

#include "base/text.h"

static const struct cua_data *or_builtin(const struct cua_data *data)
{
    return data ? data : &cua_data_builtin;
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

unsigned cua_data_first_branch(const struct cua_data *data, unsigned cc)
{
    data = or_builtin(data);
    for (size_t i = 0; i < data->firsts; i++)
        if (data->first[i].cc == cc)
            return data->first[i].branch;
    return 0;
}

/* What the end of a reported run shows about the pair of driver branches, the GPU's brand and its
 * compute capability, in this order. cuInit checks the branches first (803), then the brand (804),
 * so 804 shows that the branches passed. A capability that is not supported fails only later, when
 * a context is created. */
static const enum cua_works told_by[][3] = {
    [CUA_RUN_803] = {CUA_WORKS_NO, CUA_WORKS_UNKNOWN, CUA_WORKS_UNKNOWN},
    [CUA_RUN_804] = {CUA_WORKS_YES, CUA_WORKS_NO, CUA_WORKS_UNKNOWN},
    [CUA_RUN_CONTEXT] = {CUA_WORKS_YES, CUA_WORKS_YES, CUA_WORKS_NO},
    [CUA_RUN_STARTS] = {CUA_WORKS_YES, CUA_WORKS_YES, CUA_WORKS_UNKNOWN},
    [CUA_RUN_RUNS] = {CUA_WORKS_YES, CUA_WORKS_YES, CUA_WORKS_YES},
};

enum cua_works cua_data_ran(const struct cua_data *data, enum cua_condition on,
                            const struct cua_row_measured *run)
{
    enum cua_works all = CUA_WORKS_UNKNOWN;

    if ((on == CUA_ON_BRAND && run->brand == CUA_BRAND_UNKNOWN) || (on == CUA_ON_CC && !run->cc))
        return CUA_WORKS_UNKNOWN;
    data = or_builtin(data);
    for (size_t i = 0; i < data->measureds; i++) {
        const struct cua_row_measured *row = &data->measured[i];
        enum cua_works told = told_by[row->end][on];
        bool same = row->umd == run->umd && (on == CUA_ON_CC || row->kmd == run->kmd);
        if (!same || told == CUA_WORKS_UNKNOWN ||
            (on == CUA_ON_BRAND && row->brand != run->brand) ||
            (on == CUA_ON_CC && row->cc != run->cc))
            continue;
        if (all != CUA_WORKS_UNKNOWN && all != told)
            return CUA_WORKS_UNKNOWN;
        all = told;
    }
    return all;
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

/* Returns how many characters of the name the pattern matches; 0: it does not match. The caller
 * takes the pattern that matches most. "A100" matches "A100-SXM4-40GB" but not "A100D"; "GeForce*"
 * matches every name that begins with "GeForce". */
static size_t fits(const char *pattern, const char *name)
{
    size_t length = strcspn(pattern, "*");

    if (strncmp(pattern, name, length) != 0 ||
        (!pattern[length] && name[length] && !strchr(" -/", name[length])))
        return 0;
    return length;
}

/* Recognises the type of a virtual GPU at the end of `name`, such as T4-8C or A100-1-5CME. Cuts off
 * the last part of the type, here -8C or -5CME, and returns the brand. Returns CUA_BRAND_UNKNOWN if
 * there is no such type. The letter in the last part shows the licence, and so the brand: Q is vWS,
 * C vCS, B vPC, A vApps. T4-2B4 is a vPC for four displays. (docs.nvidia.com/vgpu, virtual GPU
 * types; NVML returns brand 10 for a V100DX-16Q, gpuopenanalytics/pynvml#38.) */
static int vgpu_brand(char *name)
{
    static const char licences[] = "ABCQ"; /* the letters of brands 7 to 10 */
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

static struct cua_known known(int brand, unsigned cc, enum cua_grade grade)
{
    return (struct cua_known){brand, cc, brand == CUA_BRAND_UNKNOWN ? CUA_GRADE_NONE : grade};
}

struct cua_known cua_data_gpu_by_model(const struct cua_data *data, const char *model)
{
    const struct cua_row_model *row = NULL;
    char name[96];
    size_t best = 0;

    data = or_builtin(data);
    if (strncmp(model, "NVIDIA ", 7) == 0)
        model += 7;
    if (!cua_copy(name, sizeof(name), model))
        return known(CUA_BRAND_UNKNOWN, 0, CUA_GRADE_NONE);
    int vgpu = vgpu_brand(name);
    for (size_t i = 0; i < data->models; i++) {
        size_t length = fits(data->model[i].pattern, name);
        if (length > best) {
            best = length;
            row = &data->model[i];
        }
    }
    if (vgpu != CUA_BRAND_UNKNOWN) /* NVIDIA documents these types: no guess */
        return known(vgpu, row ? row->cc : 0, CUA_GRADE_DECLARED);
    return row ? known(row->brand, row->cc, row->grade)
               : known(CUA_BRAND_UNKNOWN, 0, CUA_GRADE_NONE);
}

struct cua_known cua_data_gpu_by_pci(const struct cua_data *data, unsigned device)
{
    data = or_builtin(data);
    for (size_t i = 0; i < data->pcis; i++)
        if (data->pci[i].device == device)
            return known(data->pci[i].brand, data->pci[i].cc, data->pci[i].grade);
    return known(CUA_BRAND_UNKNOWN, 0, CUA_GRADE_NONE);
}

/* Names for the values of nvmlBrandType_t in nvml.h, in its order. NVML never returns GeForce RTX
 * (15) and Titan RTX (16). */
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
