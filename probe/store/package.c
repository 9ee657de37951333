/* SPDX-License-Identifier: Apache-2.0 */
#include "store/package.h"

#include <stdio.h>
#include <string.h>

const char *cua_package_arch(void)
{
#if defined(__aarch64__)
    return "sbsa";
#else
    return "x86_64";
#endif
}

static bool is_better(const struct cua_package *a, const struct cua_package *b)
{
    int order = b ? cua_version_compare(&a->version, &b->version) : 1;

    return order > 0 || (order == 0 && a->kind < b->kind);
}

const struct cua_package *cua_package_by_cuda(const char *arch, unsigned cuda)
{
    const struct cua_package *best = NULL;

    for (size_t i = 0; i < cua_package_count; i++)
        if (cua_packages[i].cuda == cuda && !strcmp(cua_packages[i].arch, arch) &&
            is_better(&cua_packages[i], best))
            best = &cua_packages[i];
    return best;
}

const struct cua_package *cua_package_by_version(const char *arch,
                                                 const struct cua_version *version)
{
    const struct cua_package *best = NULL;

    for (size_t i = 0; i < cua_package_count; i++)
        if (!cua_version_compare(&cua_packages[i].version, version) &&
            !strcmp(cua_packages[i].arch, arch) && is_better(&cua_packages[i], best))
            best = &cua_packages[i];
    return best;
}

const struct cua_package *cua_package_by_sum(const char *sha256)
{
    for (size_t i = 0; i < cua_package_count; i++)
        if (!strcmp(cua_packages[i].sha256, sha256))
            return &cua_packages[i];
    return NULL;
}

const char *cua_package_kind_word(enum cua_package_kind kind)
{
    return kind == CUA_PACKAGE_COMPAT ? "compat" : "driver";
}

bool cua_package_url(const struct cua_package *package, const char *base, char *out, size_t size)
{
    const char *folder = package->kind == CUA_PACKAGE_COMPAT ? "cuda_compat" : "nvidia_driver";
    char cuda[12], tail[24] = "";

    if (package->kind == CUA_PACKAGE_COMPAT)
        snprintf(tail, sizeof tail, "_cuda%s", cua_cuda_text(package->cuda, cuda));
    int n = snprintf(out, size, "%s/%s/linux-%s/%s-linux-%s-%s%s-archive.tar.xz", base, folder,
                     package->arch, folder, package->arch, package->version.text, tail);
    return n > 0 && (size_t)n < size;
}
