/* SPDX-License-Identifier: Apache-2.0 */
#include "command/driver/bring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/home.h"
#include "cli/jsonout.h"
#include "cli/options.h"
#include "command/driver/suit.h"
#include "cuarbiter/names.h"
#include "facts/kmd.h"

bool cua_driver_store(struct cua_store *store, const struct cua_driver_options *options)
{
    const struct cua_settings settings = {.home = cua_home_folder()};

    memset(store, 0, sizeof *store);
    store->fd = store->lock = -1;
    return options->store ? cua_copy(store->path, sizeof store->path, options->store) ||
                                cua_store_refuse(store, "the path of --store is too long")
                          : cua_store_own(store, &settings);
}

int cua_driver_failed(const char *what, const struct cua_store *store)
{
    cua_complain(what, "%s", store->why);
    return 1;
}

static bool is_tegra(void)
{
    struct cua_kmd kmd;

    memset(&kmd, 0, sizeof kmd);
    cua_kmd_gather(&kmd, &cua_here);
    return kmd.platform == CUA_PLATFORM_TEGRA;
}

static void print_plan(const struct cua_add *add, const struct cua_store *store)
{
    char cuda[12];

    if (cua_version_known(&add->version))
        printf("driver   %s%s%s\n", add->version.text, add->package ? ", CUDA " : "",
               add->package ? cua_cuda_text(add->package->cuda, cuda) : "");
    printf("from     %s\n", cua_shown(add->address));
    if (add->size)
        printf("size     %llu MB\n", (unsigned long long)(add->size + 999999) / 1000000);
    if (add->sum[0])
        printf("sha256   %s%s\n", add->sum, add->size ? ", by NVIDIA's manifest" : "");
    if (add->kind == CUA_ADD_FETCH)
        printf("licence  NVIDIA's: %s\n", CUA_PACKAGE_LICENCE);
    printf("into     %s\n", cua_shown(store->path));
}

static void print_changes(const struct cua_driver_options *options)
{
    char text[CUA_REFUSAL / 2];

    cua_changes_text(&options->changes, text, sizeof text);
    if (text[0] && !options->json)
        printf("changes  %s\n", text);
}

/* Asks the user to confirm a download (if `fetch`) and options->changes. Returns true without
 * asking if there is nothing to confirm, or with --yes. False: the user did not agree, or there is
 * no terminal; the reason is in store->why. */
static bool is_agreed(const struct cua_driver_options *options, struct cua_store *store, bool fetch)
{
    char line[16], text[CUA_REFUSAL / 2];

    if (options->yes || (!fetch && !options->changes.count))
        return true;
    cua_changes_text(&options->changes, text, sizeof text);
    if (!isatty(STDIN_FILENO))
        return text[0] ? cua_store_refuse(store, "not added: %s; pass --yes if you want that", text)
                       : cua_store_refuse(store, "not fetched: there is no terminal to confirm on; "
                                                 "pass --yes to fetch without asking");
    fputs(fetch ? "Fetch it? [y/N] " : "Add it? [y/N] ", stdout);
    fflush(stdout);
    return (fgets(line, sizeof line, stdin) && (line[0] == 'y' || line[0] == 'Y')) ||
           cua_store_refuse(store, fetch ? "not fetched" : "not added");
}

/* Called as cua_add.accept when the driver is unpacked; for an archive of data/packages.tsv,
 * find_changes() is used instead. Prints which programs would get the driver. Asks for consent if
 * there are any and this is not a dry run. */
static bool accept(void *data, struct cua_store *store, const struct cua_version *version,
                   unsigned cuda)
{
    struct cua_driver_options *options = data;

    cua_changes_find(&options->changes, store, version, cuda, &options->machine);
    print_changes(options);
    return options->dry || is_agreed(options, store, false);
}

/* Fills in options->changes before an archive of data/packages.tsv is fetched. For any other
 * driver, accept() does that once the driver is unpacked. */
static void find_changes(struct cua_driver_options *options, struct cua_store *store)
{
    const struct cua_package *package = options->add.package;

    if (package && cua_store_look(store))
        cua_changes_find(&options->changes, store, &package->version, package->cuda,
                         &options->machine);
    cua_store_close(store);
}

static void print_added(const struct cua_driver_options *options, const struct cua_store *store,
                        const char *version, enum cua_added added)
{
    char path[PATH_MAX] = "";

    if (version[0])
        cua_store_libcuda(store, version, path);
    if (options->json) {
        cua_jsonout_open(NULL, '{');
        cua_jsonout_text("version", version);
        cua_jsonout_text("libcuda", path);
        cua_jsonout_bool("added", added == CUA_ADDED && !options->dry);
        cua_changes_json(&options->changes);
        cua_jsonout_close('}');
        return;
    }
    if (!options->dry)
        printf("%s %s\n%s\n", version,
               added == CUA_ADDED          ? "was added"
               : added == CUA_ADDED_BEFORE ? "is already there"
                                           : "had been removed, and is available again",
               cua_shown(path));
}

/* Finds the driver that --auto or --for-gpu asks for, and stores its version in add.what. Returns
 * 0, or the exit code after an error message. */
static int find_driver(struct cua_driver_options *options)
{
    static struct cua_suit suit;
    struct cua_version kmd;

    if (options->machine.gpu_count && (!options->machine.kmd || !options->machine.toolkit))
        return cua_usage(options->verb, "--for-gpu needs --kmd and --cuda");
    if (options->machine.kmd && !cua_version_parse(&kmd, options->machine.kmd))
        return cua_usage_value(options->verb, options->machine.kmd,
                               "--kmd is a driver version like 535.161.07");
    if (options->machine.toolkit && !cua_cuda_parse(options->machine.toolkit))
        return cua_usage_value(options->verb, options->machine.toolkit,
                               "--cuda is a CUDA version like 13.0");
    cua_suit_find(&suit, &options->machine);
    if (!suit.package) {
        cua_complain("driver", "%s", suit.why);
        return 1;
    }
    options->add.what = suit.package->version.text;
    if (!options->json)
        printf("%s\n", cua_shown(suit.why));
    return 0;
}

/* Whether a dry run has to unpack the driver, to learn its version and compare that with the
 * store's drivers. False if there is no store yet. Also false for a driver that would have to be
 * fetched, because a dry run fetches nothing. */
static bool has_to_unpack(const struct cua_driver_options *options, struct cua_store *store)
{
    bool there = options->add.kind != CUA_ADD_FETCH && cua_store_look(store) && store->fd >= 0;

    cua_store_close(store);
    return there;
}

/* Prints the plan, asks for consent, and adds the driver. A dry run neither asks nor adds. */
static int add(struct cua_driver_options *options, struct cua_store *store)
{
    static struct cua_manifest manifest;

    if (!options->json)
        print_plan(&options->add, store);
    find_changes(options, store);
    print_changes(options);
    if (options->dry && !has_to_unpack(options, store)) {
        print_added(options, store, options->add.version.text, CUA_ADDED);
        return 0;
    }
    if (!options->dry && !is_agreed(options, store, options->add.kind == CUA_ADD_FETCH))
        return cua_driver_failed(options->add.what, store);
    if (!cua_store_lock(store))
        return cua_driver_failed(store->path, store);
    enum cua_added added = cua_add_run(&options->add, store, &manifest);
    if (added == CUA_ADD_FAILED)
        return cua_driver_failed(options->add.what, store);
    print_added(options, store, manifest.version, added);
    return 0;
}

int cua_driver_add(struct cua_driver_options *options, char **words, int count)
{
    struct cua_store store;
    int code;

    if (options->find ? count != 0 : count != 1)
        return cua_usage(options->verb, "add needs exactly one of these: a CUDA version (13.2), a "
                                        "driver version, a file, a folder, --auto, --for-gpu");
    if (options->find && (code = find_driver(options)))
        return code;
    if (!options->find)
        options->add.what = words[0];
    options->add.mirror = getenv(CUA_ENV_DRIVER_MIRROR);
    options->add.bar = isatty(STDERR_FILENO);
    options->add.accept = accept;
    options->add.data = options;
    options->add.dry = options->dry;
    if (!cua_driver_store(&store, options))
        return cua_driver_failed(store.path[0] ? store.path : "driver", &store);
    if (!cua_add_plan(&options->add, &store))
        return cua_driver_failed(options->add.what, &store);
    if (options->add.kind == CUA_ADD_FETCH && is_tegra()) {
        cua_store_refuse(
            &store,
            "this machine is a Tegra (Jetson), and NVIDIA's archives are built for other machines");
        return cua_driver_failed(options->add.what, &store);
    }
    code = add(options, &store);
    cua_store_close(&store);
    return code;
}
