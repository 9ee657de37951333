/* SPDX-License-Identifier: Apache-2.0 */
#include "command/driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "command/driver/show.h"
#include "command/driver/suit.h"
#include "command/gpu_name.h"
#include "cli/home.h"
#include "cli/jsonout.h"
#include "cli/options.h"
#include "cuarbiter/names.h"
#include "facts/kmd.h"
#include "store/add.h"

#define MACHINE_GPUS 16

struct driver_options {
    const char *store;
    struct cua_add add;
    bool yes, dry, now, json, find;
    struct cua_overrides machine; /* options for --auto and --for-gpu */
    const char *gpu[MACHINE_GPUS];
};

static bool open_store(struct cua_store *store, const struct driver_options *options)
{
    const struct cua_settings settings = {.home = cua_home_folder()};

    memset(store, 0, sizeof *store);
    store->fd = store->lock = -1;
    return options->store ? cua_copy(store->path, sizeof store->path, options->store) ||
                                cua_store_refuse(store, "its path is too long")
                          : cua_store_own(store, &settings);
}

static int failed(const char *what, const struct cua_store *store)
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
    if (add->sum[0])
        printf("sha256   %s\n", add->sum);
    if (add->kind == CUA_ADD_FETCH)
        printf("licence  NVIDIA's: %s\n", CUA_PACKAGE_LICENCE);
    printf("into     %s\n", cua_shown(store->path));
}

static bool is_agreed(const struct driver_options *options, struct cua_store *store)
{
    char line[16];

    if (options->yes || options->add.kind != CUA_ADD_FETCH)
        return true;
    if (!isatty(STDIN_FILENO))
        return cua_store_refuse(
            store,
            "not fetched: there is no terminal to confirm on; add --yes to fetch without asking");
    fputs("Fetch it? [y/N] ", stdout);
    fflush(stdout);
    return (fgets(line, sizeof line, stdin) && (line[0] == 'y' || line[0] == 'Y')) ||
           cua_store_refuse(store, "not fetched");
}

static void print_added(const struct driver_options *options, const struct cua_store *store,
                        const struct cua_manifest *manifest, enum cua_added added)
{
    char path[PATH_MAX];

    cua_store_libcuda(store, manifest->version, path);
    if (options->json) {
        cua_jsonout_open(NULL, '{');
        cua_jsonout_text("version", manifest->version);
        cua_jsonout_text("libcuda", path);
        cua_jsonout_bool("added", added == CUA_ADDED);
        cua_jsonout_close('}');
        return;
    }
    printf("%s %s\n%s\n", manifest->version,
           added == CUA_ADDED          ? "was added"
           : added == CUA_ADDED_BEFORE ? "is already there"
                                       : "had been removed, and is available again",
           cua_shown(path));
}

/* Finds the driver that --auto or --for-gpu asks for, and stores it in add.what. */
static int find_driver(struct driver_options *options)
{
    static struct cua_suit suit;
    struct cua_version kmd;

    if (options->machine.gpu_count && (!options->machine.kmd || !options->machine.toolkit))
        return cua_usage(&cua_verb_driver, "--for-gpu needs --kmd and --cuda");
    if (options->machine.kmd && !cua_version_parse(&kmd, options->machine.kmd))
        return cua_usage_value(&cua_verb_driver, options->machine.kmd,
                               "--kmd is a driver version like 535.161.07");
    if (options->machine.toolkit && !cua_cuda_parse(options->machine.toolkit))
        return cua_usage_value(&cua_verb_driver, options->machine.toolkit,
                               "--cuda is a CUDA version like 13.0");
    cua_suit_find(&suit, &options->machine);
    if (!suit.package) {
        cua_complain("driver", "%s%s", suit.why, suit.cuda ? "" : "; pass it with --cuda X.Y");
        return 1;
    }
    options->add.what = suit.package->version.text;
    if (!options->json)
        printf("%s\n", cua_shown(suit.why));
    return 0;
}

static int add_driver(struct driver_options *options, char **words, int count)
{
    static struct cua_manifest manifest;
    struct cua_store store;
    int code = 1;

    if (options->find ? count != 0 : count != 1)
        return cua_usage(&cua_verb_driver, "add needs one of these: a CUDA version (13.2), a "
                                           "driver version, a file, a folder, --auto, --for-gpu");
    if (options->find && (code = find_driver(options)))
        return code;
    if (!options->find)
        options->add.what = words[0];
    code = 1;
    options->add.mirror = getenv(CUA_ENV_DRIVER_MIRROR);
    options->add.bar = isatty(STDERR_FILENO);
    if (!open_store(&store, options))
        return failed(store.path[0] ? store.path : "driver", &store);
    if (!cua_add_plan(&options->add, &store))
        return failed(options->add.what, &store);
    if (options->add.kind == CUA_ADD_FETCH && is_tegra()) {
        cua_store_refuse(
            &store,
            "this machine is a Tegra (Jetson), and NVIDIA's archives are built for other machines");
        return failed(options->add.what, &store);
    }
    if (!options->json)
        print_plan(&options->add, &store);
    if (options->dry)
        return 0;
    if (!is_agreed(options, &store))
        return failed(options->add.what, &store);
    if (!cua_store_lock(&store)) {
        failed(store.path, &store);
    } else {
        enum cua_added added = cua_add_run(&options->add, &store, &manifest);
        if (added == CUA_ADD_FAILED)
            failed(options->add.what, &store);
        else
            print_added(options, &store, &manifest, added);
        code = added == CUA_ADD_FAILED;
    }
    cua_store_close(&store);
    return code;
}

static int remove_driver(const struct driver_options *options, char **words, int count)
{
    struct cua_store store;
    int code = 0;

    if (!count)
        return cua_usage(&cua_verb_driver,
                         "name the versions to remove; 'cuarbiter driver list' shows them");
    if (!open_store(&store, options) || !cua_store_lock(&store))
        return failed(store.path[0] ? store.path : "driver", &store);
    for (int i = 0; i < count; i++) {
        struct cua_version version;
        size_t length = cua_version_parse(&version, words[i]);
        if (!length || words[i][length])
            cua_store_refuse(&store, "not a driver version like 595.45.04");
        if (!length || words[i][length] || !cua_store_remove(&store, words[i], options->now))
            code = failed(words[i], &store);
        else if (!options->json)
            printf("%s was removed%s\n", words[i],
                   options->now ? ""
                                : "; its files stay until the next boot, for programs that still "
                                  "use it (--now deletes them at once)");
    }
    cua_store_close(&store);
    return code;
}

static void take_option(struct driver_options *options, int option)
{
    switch (option) {
    case 's':
        options->store = optarg;
        break;
    case 'u':
        options->add.url = optarg;
        break;
    case 'S':
        options->add.sha256 = optarg;
        break;
    case 'y':
        options->yes = true;
        break;
    case 'n':
        options->dry = true;
        break;
    case 'N':
        options->now = true;
        break;
    case 'a':
        options->find = true;
        break;
    case 'k':
        options->machine.kmd = optarg;
        break;
    case 'c':
        options->machine.toolkit = optarg;
        break;
    case 'g':
        options->find = true;
        if (options->machine.gpu_count < MACHINE_GPUS)
            options->gpu[options->machine.gpu_count++] = cua_gpu_name(optarg);
        options->machine.gpu = options->gpu;
        break;
    default:
        options->json = true;
    }
}

static int run(int argc, char **argv)
{
    struct driver_options options = {0};
    int code = 0, option;

    while ((option = cua_option(&cua_verb_driver, argc, argv, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        take_option(&options, option);
    }
    if (optind == argc)
        return cua_usage(&cua_verb_driver, "name an action: add, list, check or remove");
    const char *what = argv[optind];
    char **words = argv + optind + 1;
    int count = argc - optind - 1;
    if (!strcmp(what, "add"))
        return add_driver(&options, words, count);
    if (!strcmp(what, "list") || !strcmp(what, "check"))
        return cua_driver_show(options.store, options.json, what[0] == 'c', words, count);
    if (!strcmp(what, "remove"))
        return remove_driver(&options, words, count);
    return cua_usage_value(&cua_verb_driver, what, "name an action: add, list, check or remove");
}

const struct cua_verb cua_verb_driver = {
    .name = "driver",
    .run = run,
};
