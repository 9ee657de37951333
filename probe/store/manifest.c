/* SPDX-License-Identifier: Apache-2.0 */
#include "store/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/listing.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "base/whole.h"
#include "drivers/store.h"

#define MOST   (1u << 20)
#define TOKENS 8192

static void put(FILE *to, const char *key, const char *value, const char *end)
{
    char escaped[6 * 2048 + 1];

    cua_escape(escaped, sizeof escaped, value, CUA_ESCAPE_JSON);
    fprintf(to, "  \"%s\": \"%s\"%s\n", key, escaped, end);
}

int cua_manifest_write(const struct cua_manifest *manifest, int dir)
{
    int fd = openat(dir, CUA_STORE_MANIFEST, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    char *text = NULL;
    size_t size;
    FILE *to = fd >= 0 ? open_memstream(&text, &size) : NULL;
    int rc = fd < 0 ? -errno : 0;

    if (fd >= 0 && !to)
        rc = -ENOMEM;
    if (!to)
        goto out;
    fputs("{\n  \"schema\": 1,\n", to);
    put(to, "version", manifest->version, ",");
    put(to, "cuda", manifest->cuda, ",");
    put(to, "kind", manifest->kind, ",");
    put(to, "source", manifest->source, ",");
    put(to, "sha256", manifest->archive, ",");
    put(to, "added", manifest->added, ",");
    put(to, "licence", manifest->licence, ",");
    fputs("  \"files\": [", to);
    for (unsigned i = 0; i < manifest->files; i++) {
        const struct cua_manifest_file *file = &manifest->file[i];
        fprintf(to, "%s\n    {\"name\": \"%s\", ", i ? "," : "", file->name);
        if (file->target[0])
            fprintf(to, "\"target\": \"%s\"}", file->target);
        else
            fprintf(to, "\"size\": \"%llu\", \"sha256\": \"%s\"}", (unsigned long long)file->size,
                    file->sha256);
    }
    fputs("\n  ]\n}\n", to);
    if (fclose(to))
        rc = -ENOMEM;
    if (!rc && (!cua_write_all(fd, text, size) || fchmod(fd, 0644) || fsync(fd)))
        rc = -errno;
out:
    free(text);
    if (fd >= 0)
        close(fd);
    return rc;
}

static bool read_file(struct cua_json *json, int at, struct cua_manifest_file *file)
{
    char size[24] = "";
    int name = cua_json_get(json, at, "name"), target = cua_json_get(json, at, "target");
    int sum = cua_json_get(json, at, "sha256"), bytes = cua_json_get(json, at, "size");

    memset(file, 0, sizeof *file);
    if (name < 0 || !cua_json_string(json, name, file->name, sizeof file->name) ||
        cua_member_of(file->name) == CUA_MEMBER_NONE ||
        cua_member_of(file->name) == CUA_MEMBER_MANIFEST)
        return false;
    if (target >= 0)
        return cua_json_string(json, target, file->target, sizeof file->target);
    if (sum < 0 || bytes < 0 || !cua_json_string(json, sum, file->sha256, sizeof file->sha256) ||
        !cua_json_string(json, bytes, size, sizeof size))
        return false;
    file->size = strtoull(size, NULL, 10);
    return true;
}

int cua_manifest_read(struct cua_manifest *manifest, int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    size_t size;
    char *text = cua_whole(fd < 0 ? -errno : fd, MOST, &size);
    jsmntok_t *tokens = text ? calloc(TOKENS, sizeof *tokens) : NULL;
    struct cua_json json;
    int rc = -EINVAL, at;

    if (!tokens) {
        rc = -errno;
        goto out;
    }
    memset(manifest, 0, sizeof *manifest);
    if (!cua_json_object(&json, text, size, tokens, TOKENS))
        goto out;
    const struct {
        const char *key;
        char *to;
        size_t size;
    } texts[] = {
        {"version", manifest->version, sizeof manifest->version},
        {"cuda", manifest->cuda, sizeof manifest->cuda},
        {"kind", manifest->kind, sizeof manifest->kind},
        {"source", manifest->source, sizeof manifest->source},
        {"sha256", manifest->archive, sizeof manifest->archive},
        {"added", manifest->added, sizeof manifest->added},
        {"licence", manifest->licence, sizeof manifest->licence},
    };
    /* These texts are mostly shown only, so they are not checked. One that is missing or does not
     * fit stays "". */
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if ((at = cua_json_get(&json, 0, texts[i].key)) >= 0)
            (void)cua_json_string(&json, at, texts[i].to, texts[i].size);
    at = cua_json_get(&json, 0, "files");
    if (at < 0 || tokens[at].type != JSMN_ARRAY || tokens[at].size > CUA_MANIFEST_FILES)
        goto out;
    int count = tokens[at].size;
    for (at++; count > 0; count--, at = cua_json_after(&json, at))
        if (!read_file(&json, at, &manifest->file[manifest->files++]))
            goto out;
    rc = 0;
out:
    free(tokens);
    free(text);
    return rc;
}

static const char *check_link(const struct cua_manifest_file *file, int dir)
{
    char target[CUA_MEMBER_NAME];
    ssize_t n = readlinkat(dir, file->name, target, sizeof target - 1);

    if (n < 0)
        return errno == ENOENT ? "is missing" : "is not a link";
    target[n] = '\0';
    return strcmp(target, file->target) ? "links to another file" : NULL;
}

static const char *check_file(const struct cua_manifest_file *file, int dir)
{
    char sum[CUA_SHA256_TEXT];
    struct stat st;
    int fd = openat(dir, file->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const char *wrong = NULL;

    if (fd < 0)
        return errno == ENOENT ? "is missing" : strerror(errno);
    if (cua_fstat(fd, &st) || !S_ISREG(st.st_mode))
        wrong = "is not a file";
    else if ((uint64_t)st.st_size != file->size)
        wrong = "has the wrong size";
    else if (cua_sha256_file(fd, sum))
        wrong = "cannot be read";
    else if (strcmp(sum, file->sha256))
        wrong = "has changed";
    close(fd);
    return wrong;
}

struct strangers {
    const struct cua_manifest *manifest;
    char *name;
    unsigned size;
};

static int find_stranger(void *data, const char *name, unsigned char type)
{
    struct strangers *strangers = data;

    (void)type;
    if (name[0] == '.' || cua_ends(name, ".json"))
        return 0;
    for (unsigned i = 0; i < strangers->manifest->files; i++)
        if (!strcmp(strangers->manifest->file[i].name, name))
            return 0;
    snprintf(strangers->name, strangers->size, "%s is not listed in " CUA_STORE_MANIFEST, name);
    return 1;
}

const char *cua_manifest_check(const struct cua_manifest *manifest, int dir, char *why,
                               unsigned size)
{
    struct strangers strangers = {manifest, why, size};

    for (unsigned i = 0; i < manifest->files; i++) {
        const struct cua_manifest_file *file = &manifest->file[i];
        const char *wrong = file->target[0] ? check_link(file, dir) : check_file(file, dir);
        if (wrong) {
            snprintf(why, size, "%s %s", file->name, wrong);
            return why;
        }
    }
    return cua_list(openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), find_stranger,
                    &strangers) > 0
               ? why
               : NULL;
}
