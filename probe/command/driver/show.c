/* SPDX-License-Identifier: Apache-2.0 */
#include "command/driver/show.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "cli/home.h"
#include "cli/jsonout.h"
#include "cli/verb.h"
#include "drivers/identity.h"
#include "elf/file.h"
#include "machine/site.h"
#include "store/folder.h"

struct rows {
    struct cua_version *version;
    size_t count;
    bool short_of_memory;
};

struct shown {
    const char *named;
    bool json, sums;
    char *const *only;
    int count;
    /* A store or driver is damaged or cannot be used, or one of `only` was not found. */
    bool failed;
    unsigned seen; /* number of drivers that were shown */
    bool *found;   /* for each of `only`, whether a store has that driver; owned */
};

static void take(void *data, const char *version)
{
    struct rows *rows = data;

    struct cua_version *more = realloc(rows->version, (rows->count + 1) * sizeof *more);

    rows->short_of_memory |= !more;
    if (!more)
        return;
    rows->version = more;
    cua_version_parse(&more[rows->count++], version);
}

static int by_version(const void *a, const void *b)
{
    return cua_version_compare(a, b);
}

static bool is_wanted(struct shown *shown, const char *version)
{
    bool wanted = shown->count == 0;

    for (int i = 0; i < shown->count; i++)
        if (!strcmp(shown->only[i], version)) {
            wanted = shown->found[i] = true;
        }
    return wanted;
}

static uint64_t bytes_of(const struct cua_manifest *manifest)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < manifest->files; i++)
        bytes += manifest->file[i].size;
    return bytes;
}

static const char *find_damage(struct cua_store *store, const char *version,
                               const struct cua_manifest *manifest, char *why, unsigned size)
{
    int dir = openat(store->fd, version, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const char *damage;

    if (dir < 0)
        return strerror(errno);
    damage = cua_manifest_check(manifest, dir, why, size);
    close(dir);
    return damage;
}

/* Whether this driver's files are such that programs can get it on some machine: its libcuda.so.1
 * must be a libcuda for this architecture, and the libraries by which it compiles PTX must lie
 * beside it. `trouble`, "" at first, receives what is wrong. */
static bool is_usable(const struct cua_store *store, const char *version, char *trouble,
                      size_t size)
{
    uint64_t budget = UINT64_MAX;
    char path[PATH_MAX] = "", real[PATH_MAX];
    struct cua_umd umd;
    struct stat st;
    int fd = -1;

    cua_store_libcuda(store, version, path);
    if (!realpath(path, real) || cua_stat(real, &st)) {
        snprintf(trouble, size, "libcuda.so.1: %s", strerror(errno));
        return false;
    }
    memset(&umd, 0, sizeof umd);
    umd.real = umd.path = real;
    cua_identify(&umd, &cua_here, &fd, &st, "", cua_elf_own_machine(), &budget);
    if (fd >= 0)
        close(fd);
    if (umd.state != CUA_UMD_USABLE)
        snprintf(trouble, size, "%s", umd.trouble);
    else if (!umd.companions)
        snprintf(trouble, size, "its libcuda cannot compile PTX, because %s is not beside it",
                 umd.missing);
    return !trouble[0];
}

static void print_json(const struct cua_store *store, const char *version, const char *state,
                       const char *trouble, const struct cua_manifest *manifest)
{
    char path[PATH_MAX];

    cua_store_libcuda(store, version, path);
    cua_jsonout_open(NULL, '{');
    cua_jsonout_text("version", version);
    cua_jsonout_text("state", state);
    cua_jsonout_text("trouble", trouble);
    cua_jsonout_text("libcuda", path);
    cua_jsonout_text("cuda", manifest->cuda);
    cua_jsonout_number("bytes", (long long)bytes_of(manifest));
    cua_jsonout_text("kind", manifest->kind);
    cua_jsonout_text("source", manifest->source);
    cua_jsonout_text("sha256", manifest->archive);
    cua_jsonout_text("added", manifest->added);
    cua_jsonout_close('}');
}

static void show_driver(struct shown *shown, struct cua_store *store, const char *version)
{
    static const char *const states[] = {"whole", "removed", "not whole", "not used"};
    static struct cua_manifest manifest;
    char wrong[CUA_MEMBER_NAME], why[512] = "", trouble[640] = "";
    const char *word = NULL;
    int state = cua_store_read(store, version, &manifest, wrong);

    if (state == -ENOENT) /* removed since the store was listed */
        return;
    if (state < 0) {
        snprintf(trouble, sizeof trouble, "%s", strerror(-state));
        word = states[CUA_BROUGHT_OTHERS];
    } else if (state == CUA_BROUGHT_OTHERS)
        snprintf(trouble, sizeof trouble, "%s: " CUA_STORE_OTHERS, wrong);
    else if (state == CUA_BROUGHT_HALF)
        snprintf(trouble, sizeof trouble, "its manifest is missing or cannot be read");
    else if (state == CUA_BROUGHT_WHOLE && !is_usable(store, version, trouble, sizeof trouble))
        word = states[CUA_BROUGHT_OTHERS];
    else if (shown->sums)
        cua_copy(trouble, sizeof trouble,
                 find_damage(store, version, &manifest, why, sizeof why) ? why : "");
    if (!word)
        word = trouble[0] && state == CUA_BROUGHT_WHOLE ? "damaged" : states[state];
    shown->seen++;
    shown->failed |= trouble[0] != '\0';
    if (shown->json) {
        print_json(store, version, word, trouble, &manifest);
        return;
    }
    printf("%-11s %-9s %5llu MB  %s%s%s\n", version, manifest.cuda[0] ? manifest.cuda : "unknown",
           (unsigned long long)(bytes_of(&manifest) + 999999) / 1000000, word,
           trouble[0] ? ": " : "", cua_shown(trouble));
}

static void show_store(struct shown *shown, struct cua_store *store)
{
    struct rows rows = {.count = 0};
    bool fine = shown->named ? cua_store_look(store) : cua_store_look_to_run(store);

    if (fine && store->fd < 0 && !shown->named)
        return;
    if (!shown->json)
        printf("%s%s%s\n", cua_shown(store->path), fine ? "" : ": ", fine ? "" : store->why);
    shown->failed |= !fine;
    if (shown->json) {
        cua_jsonout_open(NULL, '{');
        cua_jsonout_text("folder", store->path);
        cua_jsonout_text("trouble", store->why);
        cua_jsonout_open("drivers", '[');
    }
    cua_store_each(store, take, &rows);
    if (rows.short_of_memory) {
        cua_complain(store->path, "%s", strerror(ENOMEM));
        shown->failed = true;
    }
    if (rows.count)
        qsort(rows.version, rows.count, sizeof *rows.version, by_version);
    for (size_t i = 0; fine && i < rows.count; i++)
        if (is_wanted(shown, rows.version[i].text))
            show_driver(shown, store, rows.version[i].text);
    free(rows.version);
    if (shown->json) {
        cua_jsonout_close(']');
        cua_jsonout_close('}');
    }
    cua_store_close(store);
}

int cua_driver_show(const char *named, bool json, bool sums, char *const *only, int count)
{
    struct shown shown = {named, json, sums, only, count, false, 0, calloc((size_t)count + 1, 1)};
    struct cua_store store = {.fd = -1, .lock = -1};
    const struct cua_settings settings = {.home = cua_home_folder()};
    struct cua_site site;

    if (!shown.found) {
        cua_complain("driver", "%s", strerror(ENOMEM));
        return 1;
    }
    cua_site_read(&site);
    if (json)
        cua_jsonout_open(NULL, '[');
    for (unsigned i = 0; i < (named ? 1 : CUA_STORE_PLACES); i++) {
        if (named ? cua_copy(store.path, sizeof store.path, named)
                  : cua_store_place(&store, &settings, site.store ? site.store : "", i))
            show_store(&shown, &store);
    }
    if (json)
        cua_jsonout_close(']');
    else if (!shown.seen && !shown.failed && !count)
        puts("no driver has been added");
    for (int i = 0; i < count; i++)
        if (!shown.found[i]) {
            cua_complain("driver", "%s was not found", only[i]);
            shown.failed = true;
        }
    free(shown.found);
    cua_site_release(&site);
    return shown.failed;
}
