/* SPDX-License-Identifier: Apache-2.0 */
#include "store/redistrib.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "base/whole.h"
#include "store/fetch.h"
#include "store/package.h"

#define MOST   (4u << 20) /* bytes of a manifest */
#define TOKENS 131072

/* Returns the manifest, which the caller frees; NULL, with the reason in store->why. */
static char *fetch(const char *address, struct cua_store *store, size_t *size)
{
    char why[CUA_REFUSAL / 2], *text = NULL;
    FILE *file = tmpfile();

    if (!file) {
        cua_store_refuse(store, "cannot create a file in /tmp: %s", strerror(errno));
        return NULL;
    }
    if (!cua_fetch(address, false, false, fileno(file), why, sizeof why))
        cua_store_refuse(store, "%.500s: %s", address, why);
    else if (lseek(fileno(file), 0, SEEK_SET) != 0 ||
             !(text = cua_whole(dup(fileno(file)), MOST, size)))
        cua_store_refuse(store, "%.500s: %s", address, strerror(errno));
    fclose(file);
    return text;
}

/* Whether a path is plain and, appended to the address of a folder, stays below that folder. */
static bool is_below(const char *path)
{
    return path[0] && path[0] != '/' && !strstr(path, "..") &&
           !path[strspn(path,
                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/")];
}

struct archive {
    char version[CUA_VERSION_TEXT], path[512], sum[CUA_SHA256_TEXT], size[24];
};

static bool read_archive(const struct cua_json *json, const char *part, struct archive *archive)
{
    char platform[24];
    int at = cua_json_get(json, 0, part), here;

    snprintf(platform, sizeof platform, "linux-%s", cua_package_arch());
    if (at < 0 || (here = cua_json_get(json, at, platform)) < 0)
        return false;
    const struct {
        int object;
        const char *key;
        char *to;
        size_t size;
    } texts[] = {
        {at, "version", archive->version, sizeof archive->version},
        {here, "relative_path", archive->path, sizeof archive->path},
        {here, "sha256", archive->sum, sizeof archive->sum},
        {here, "size", archive->size, sizeof archive->size},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int value = cua_json_get(json, texts[i].object, texts[i].key);
        if (value < 0 || !cua_json_string(json, value, texts[i].to, texts[i].size))
            return false;
    }
    return true;
}

/* Copies what the manifest says about the archive to `announced`. False if some of it is not
 * valid. */
static bool take(struct cua_announced *announced, const struct archive *archive)
{
    announced->size = strtoull(archive->size, NULL, 10);
    return cua_version_parse(&announced->version, archive->version) == strlen(archive->version) &&
           cua_sha256_is(archive->sum) && is_below(archive->path) &&
           !archive->size[strspn(archive->size, "0123456789")] &&
           cua_copy(announced->path, sizeof announced->path, archive->path) &&
           cua_copy(announced->sum, sizeof announced->sum, archive->sum);
}

bool cua_redistrib_read(struct cua_announced *announced, const char *address,
                        struct cua_store *store)
{
    jsmntok_t *tokens = NULL;
    struct archive archive;
    struct cua_json json;
    char *text = NULL;
    bool found = false;
    size_t size;

    if (!(text = fetch(address, store, &size)))
        return false;
    tokens = calloc(TOKENS, sizeof *tokens);
    if (!tokens)
        cua_store_refuse(store, "%s", strerror(ENOMEM));
    else if (!cua_json_object(&json, text, size, tokens, TOKENS))
        cua_store_refuse(store, "%.500s: not a manifest", address);
    else if (!read_archive(&json, "cuda_compat", &archive) &&
             !read_archive(&json, "nvidia_driver", &archive))
        cua_store_refuse(store, "%.500s: it names no driver for linux-%s", address,
                         cua_package_arch());
    else
        found =
            take(announced, &archive) ||
            cua_store_refuse(
                store, "%.500s: its entry for the driver has an invalid version, path, sum or size",
                address);
    free(tokens);
    free(text);
    return found;
}
