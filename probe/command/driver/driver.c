/* SPDX-License-Identifier: Apache-2.0 */
#include "command/driver/driver.h"

#include <stdio.h>
#include <string.h>

#include "command/driver/bring.h"
#include "command/driver/carry.h"
#include "command/driver/show.h"
#include "command/driver/try.h"
#include "command/gpu_name.h"
#include "cli/options.h"

static int remove_driver(const struct cua_driver_options *options, char **words, int count)
{
    struct cua_store store;
    int code = 0;

    if (!count)
        return cua_usage(&cua_verb_driver,
                         "name the versions to remove; 'cuarbiter driver list' shows them");
    if (!cua_driver_store(&store, options) || !cua_store_lock(&store))
        return cua_driver_failed(store.path[0] ? store.path : "driver", &store);
    for (int i = 0; i < count; i++) {
        struct cua_version version;
        size_t length = cua_version_parse(&version, words[i]);
        if (!length || words[i][length])
            cua_store_refuse(&store, "not a driver version like 595.45.04");
        if (!length || words[i][length] || !cua_store_remove(&store, words[i], options->now))
            code = cua_driver_failed(words[i], &store);
        else if (!options->json)
            printf("%s was removed%s\n", words[i],
                   options->now ? ""
                                : "; its files stay for programs that use it, until the first add "
                                  "or remove after a reboot (--now deletes them at once)");
    }
    cua_store_close(&store);
    return code;
}

static void take_option(struct cua_driver_options *options, int option)
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
    case 'T':
        options->add.trusts = true;
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
        if (options->machine.gpu_count < CUA_DRIVER_GPUS)
            options->gpu[options->machine.gpu_count++] = cua_gpu_name(optarg);
        options->machine.gpu = options->gpu;
        break;
    default:
        options->json = true;
    }
}

static const char actions[] = "name an action: add, list, check, try, remove, export or import";

static int run(int argc, char **argv)
{
    struct cua_driver_options options = {.verb = &cua_verb_driver};
    int code = 0, option;

    while ((option = cua_option(&cua_verb_driver, argc, argv, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        take_option(&options, option);
    }
    if (optind == argc)
        return cua_usage(&cua_verb_driver, actions);
    const char *what = argv[optind];
    char **words = argv + optind + 1;
    int count = argc - optind - 1;
    if (!strcmp(what, "add"))
        return cua_driver_add(&options, words, count);
    if (!strcmp(what, "list") || !strcmp(what, "check"))
        return cua_driver_show(options.store, options.json, what[0] == 'c', words, count);
    if (!strcmp(what, "try"))
        return cua_driver_try(&options, words, count);
    if (!strcmp(what, "remove"))
        return remove_driver(&options, words, count);
    if (!strcmp(what, "export"))
        return cua_driver_export(&options, words, count);
    if (!strcmp(what, "import"))
        return cua_driver_import(&options, words, count);
    return cua_usage_value(&cua_verb_driver, what, actions);
}

const struct cua_verb cua_verb_driver = {
    .name = "driver",
    .run = run,
};
