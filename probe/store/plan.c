/* SPDX-License-Identifier: Apache-2.0 */
#include "store/plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "store/redistrib.h"

#define TOO_LONG "the download address is too long: use a shorter --mirror or --url"

static bool is_number(const char *what)
{
    return what[0] && !what[strspn(what, "0123456789.")];
}

static bool find_manifest(struct cua_add *add, struct cua_store *store, const char *base)
{
    /* NVIDIA's manifest (redistrib.h) for CUDA 13.3 is named redistrib_13.3.0.json, so append ".0"
     * to a version of two parts. */
    const char *point = strchr(add->what, '.'), *tail = point && strchr(point + 1, '.') ? "" : ".0";

    if (!add->url && cua_version_known(&add->version))
        return cua_store_refuse(store, "NVIDIA's manifest is found by CUDA version: pass that "
                                       "instead, or the manifest's address with --url");
    int n = add->url ? snprintf(add->address, sizeof add->address, "%s", add->url)
                     : snprintf(add->address, sizeof add->address, "%s/redistrib_%s%s.json", base,
                                add->what, tail);
    if (n < 0 || (size_t)n >= sizeof add->address)
        return cua_store_refuse(store, TOO_LONG);
    return cua_starts(add->address, "https://") ||
           cua_store_refuse(store, "%s: a manifest is trusted only if it comes by https",
                            add->address);
}

/* Fills in the plan from NVIDIA's manifest (redistrib.h). */
static bool plan_announced(struct cua_add *add, struct cua_store *store, const char *base)
{
    struct cua_announced announced;

    if (!find_manifest(add, store, base) || !cua_redistrib_read(&announced, add->address, store))
        return false;
    if (cua_version_known(&add->version) && cua_version_compare(&announced.version, &add->version))
        return cua_store_refuse(store, "%.500s has driver %s, not %s", add->address,
                                announced.version.text, add->version.text);
    if (cua_package_by_version(cua_package_arch(), &announced.version))
        return cua_store_refuse(store,
                                "%.500s has %s, whose checksum cuarbiter knows: pass %s instead, "
                                "without --trust-manifest",
                                add->address, announced.version.text, announced.version.text);
    char *name = strrchr(add->address, '/') + 1;
    add->version = announced.version;
    add->size = announced.size;
    cua_copy(add->sum, sizeof add->sum, announced.sum);
    return cua_copy(name, sizeof add->address - (size_t)(name - add->address), announced.path) ||
           cua_store_refuse(store, TOO_LONG);
}

/* Plans a driver that data/packages.tsv lacks. With --sha256, the address is that of --url; without
 * --url, it is the usual one of NVIDIA's archive for that driver version. Without --sha256, the
 * plan comes from NVIDIA's manifest; planning fails if the user does not trust that manifest. */
static bool plan_unlisted(struct cua_add *add, struct cua_store *store, const char *base)
{
    struct cua_package named = {.version = add->version, .kind = CUA_PACKAGE_DRIVER};

    if (!add->sha256 && add->trusts)
        return plan_announced(add, store, base);
    if (!add->sha256)
        return cua_store_refuse(
            store,
            "cuarbiter does not know the checksum of this archive: pass --url and --sha256, or a "
            "CUDA version with --trust-manifest, or download the archive and add the file");
    if (add->url)
        return cua_copy(add->address, sizeof add->address, add->url) ||
               cua_store_refuse(store, TOO_LONG);
    if (!cua_version_known(&add->version))
        return cua_store_refuse(
            store,
            "cuarbiter does not know this CUDA version: pass the archive's address with --url");
    cua_copy(named.arch, sizeof named.arch, cua_package_arch());
    return cua_package_url(&named, base, add->address, sizeof add->address) ||
           cua_store_refuse(store, TOO_LONG);
}

static bool plan_fetch(struct cua_add *add, struct cua_store *store)
{
    const char *base = add->mirror && add->mirror[0] ? add->mirror : CUA_PACKAGE_BASE;
    unsigned cuda = cua_cuda_parse(add->what);
    const char *arch = cua_package_arch();
    bool parsed = cua_version_parse(&add->version, add->what) == strlen(add->what);

    if (parsed && add->version.part[0] >= 100) {
        add->package = cua_package_by_version(arch, &add->version);
    } else if (cuda) {
        add->package = cua_package_by_cuda(arch, cuda);
        memset(&add->version, 0, sizeof add->version);
    } else {
        return cua_store_refuse(store,
                                "neither a CUDA version (13.2) nor a driver version (595.45.04)");
    }
    if (!add->package) {
        if (!plan_unlisted(add, store, base))
            return false;
        return !add->sha256 || cua_copy(add->sum, sizeof add->sum, add->sha256);
    }
    add->version = add->package->version;
    if (add->sha256 && strcmp(add->sha256, add->package->sha256))
        return cua_store_refuse(
            store, "--sha256 differs from the checksum that cuarbiter knows for %s, which is %s",
            add->version.text, add->package->sha256);
    cua_copy(add->sum, sizeof add->sum, add->package->sha256);
    return (add->url ? cua_copy(add->address, sizeof add->address, add->url)
                     : cua_package_url(add->package, base, add->address, sizeof add->address)) ||
           cua_store_refuse(store, TOO_LONG);
}

bool cua_add_plan(struct cua_add *add, struct cua_store *store)
{
    struct stat st;

    if (add->sha256 && !cua_sha256_is(add->sha256))
        return cua_store_refuse(store, "--sha256 needs 64 hexadecimal digits in lower case");
    if (!add->imports && is_number(add->what)) {
        add->kind = CUA_ADD_FETCH;
        return plan_fetch(add, store) &&
               (cua_starts(add->address, "https://") || cua_starts(add->address, "http://") ||
                cua_store_refuse(store,
                                 "%s: the address must begin with https://, or with http:// if the "
                                 "checksum is known",
                                 add->address));
    }
    if (add->url)
        return cua_store_refuse(store, "--url needs a CUDA version or a driver version as well");
    if (cua_stat(add->what, &st))
        return cua_store_refuse(store, "%s", strerror(errno));
    add->kind = S_ISDIR(st.st_mode) ? CUA_ADD_FOLDER : CUA_ADD_FILE;
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
        return cua_store_refuse(store, "neither a file nor a folder");
    if (add->imports && add->kind == CUA_ADD_FOLDER)
        return cua_store_refuse(store,
                                "a folder: import takes a file that 'cuarbiter driver export' "
                                "wrote; add takes folders");
    if (add->sha256 && add->kind == CUA_ADD_FOLDER)
        return cua_store_refuse(store, "--sha256 is for archives, and this is a folder");
    cua_copy(add->sum, sizeof add->sum, add->sha256 ? add->sha256 : "");
    return cua_copy(add->address, sizeof add->address, add->what) ||
           cua_store_refuse(store, "this path is too long");
}
