/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/weigh.h"

#include <stdio.h>
#include <string.h>

#include "tables/tables.h"
#include "base/version.h"
#include "facts/facts.h"

#define DETAIL 200

static void unusable(struct cua_weight *weight, enum cua_reason reason, const char *detail)
{
    weight->class = CUA_CLASS_UNUSABLE;
    weight->reason = reason;
    snprintf(weight->detail, DETAIL, "%s", detail);
}

/* What the file itself rules out; true if it is a candidate. */
static bool weigh_file(struct cua_weight *weight, bool named)
{
    const struct cua_umd *umd = weight->umd;
    bool trusted = umd->trusted || umd->loader_default || named || (umd->found & CUA_FOUND_MAPPED);

    weight->code = -1;
    switch (umd->state) {
    case CUA_UMD_USABLE:
        break;
    case CUA_UMD_STUB:
        unusable(weight, CUA_REASON_LINK_STUB, umd->trouble);
        weight->code = 34;
        return false;
    case CUA_UMD_DAMAGED:
        unusable(weight, CUA_REASON_DAMAGED, umd->trouble);
        return false;
    case CUA_UMD_ARCH:
        unusable(weight, CUA_REASON_WRONG_ARCH, umd->trouble);
        return false;
    case CUA_UMD_UNREADABLE:
        unusable(weight, CUA_REASON_UNREADABLE, umd->trouble);
        return false;
    case CUA_UMD_FOREIGN:
        unusable(weight, CUA_REASON_FOREIGN, umd->trouble);
        return false;
    }
    if (!trusted) {
        unusable(weight, CUA_REASON_UNTRUSTED, "");
        snprintf(weight->detail, DETAIL, "%.170s can be changed by others",
                 umd->distrust ? umd->distrust : umd->path);
    }
    return trusted;
}

static bool on_wsl(const struct cua_umd *umd)
{
    return strstr(umd->path, "/wsl/") ||
           (!(umd->found & CUA_FOUND_COMPAT) && !cua_version_known(&umd->version));
}

static void weigh_tegra(struct cua_weight *weight)
{
    const struct cua_umd *umd = weight->umd;

    /* Its own note names no branches; any other UMD talks to nvidia.ko. */
    if (!umd->tegra && !(umd->note.present && !umd->note.has_branches))
        unusable(weight, CUA_REASON_TEGRA_FOREIGN, "");
    else
        weight->class = umd->found & CUA_FOUND_COMPAT ? CUA_CLASS_NEWER : CUA_CLASS_NATIVE;
}

static void weigh_linux(struct cua_weight *weight, const struct cua_facts *facts)
{
    const struct cua_umd *umd = weight->umd;
    const struct cua_version *kmd = &facts->kmd.version;
    int order = cua_version_compare(&umd->version, kmd);

    if (umd->tegra) {
        unusable(weight, CUA_REASON_TEGRA_FOREIGN, "");
        return;
    }
    if (!cua_version_known(kmd)) {
        weight->class = CUA_CLASS_UNKNOWN;
        weight->reason = CUA_REASON_KMD_MISSING;
    } else if (!cua_version_known(&umd->version)) {
        weight->class = CUA_CLASS_UNKNOWN;
        weight->reason = CUA_REASON_NO_VERSION;
    } else if (order < 0) {
        weight->class = CUA_CLASS_OLDER;
        weight->reason = CUA_REASON_OLDER;
        weight->code = 803;
        snprintf(weight->detail, DETAIL, "%s is older than the kernel driver %s", umd->version.text,
                 kmd->text);
    } else {
        weight->class = order == 0 ? CUA_CLASS_NATIVE : CUA_CLASS_NEWER;
    }
}

void cua_weigh(struct cua_weight *weight, const struct cua_facts *facts, bool named)
{
    weight->detail[0] = '\0';
    if (!weigh_file(weight, named))
        return;
    switch (facts->kmd.platform) {
    case CUA_PLATFORM_NONE:
        unusable(weight, CUA_REASON_NO_DRIVER, "");
        break;
    case CUA_PLATFORM_WSL:
        if (on_wsl(weight->umd))
            weight->class = CUA_CLASS_NATIVE;
        else
            unusable(weight, CUA_REASON_NEWER_WSL, "");
        break;
    case CUA_PLATFORM_TEGRA:
        weigh_tegra(weight);
        break;
    case CUA_PLATFORM_LINUX:
        weigh_linux(weight, facts);
        break;
    }
    if (weight->class != CUA_CLASS_NATIVE)
        return;
    weight->reason = CUA_REASON_NATIVE;
    weight->code = 0;
    if (facts->kmd.platform == CUA_PLATFORM_LINUX)
        snprintf(weight->detail, DETAIL, "%s, as the kernel driver", weight->umd->version.text);
}

bool cua_runs(const struct cua_facts *facts, const struct cua_umd *umd,
              const struct cua_row_toolkit **row)
{
    unsigned toolkit = facts->toolkit.cuda;

    *row = cua_data_toolkit(facts->data, toolkit);
    if (toolkit == 0 || (umd->cuda && umd->cuda >= toolkit))
        return true;
    if (facts->kmd.platform == CUA_PLATFORM_TEGRA || !cua_version_known(&umd->version) || !*row)
        return umd->cuda == 0 || umd->cuda / 1000 >= toolkit / 1000;
    return cua_version_compare(&umd->version, &(*row)->least) >= 0;
}

int cua_newer_compare(const struct cua_umd *a, const struct cua_umd *b)
{
    int order = cua_version_compare(&a->version, &b->version);

    if (order == 0 && a->cuda != b->cuda) /* Tegra: every version is 1.1 */
        order = a->cuda > b->cuda ? 1 : -1;
    return order ? order : strcmp(b->path, a->path);
}

int cua_native_compare(const struct cua_umd *a, const struct cua_umd *b)
{
    bool wsl_a = strstr(a->path, "/wsl/lib/"), wsl_b = strstr(b->path, "/wsl/lib/");
    unsigned ordinary = CUA_FOUND_DEFAULT | CUA_FOUND_CACHE;

    if (wsl_a != wsl_b)
        return wsl_a ? 1 : -1;
    if (a->loader_default != b->loader_default)
        return a->loader_default ? 1 : -1;
    if ((a->found ^ b->found) & CUA_FOUND_MOUNT)
        return a->found & CUA_FOUND_MOUNT ? 1 : -1;
    if (!(a->found & ordinary) != !(b->found & ordinary))
        return a->found & ordinary ? 1 : -1;
    return strcmp(b->path, a->path);
}
