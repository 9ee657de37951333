/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/cdi/cdi.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "deploy/cdi/merge.h"
#include "deploy/cdi/watch.h"
#include "cli/home.h"
#include "deploy/hook/check.h"
#include "deploy/hook/wrapper.h"
#include "deploy/node/ways.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cuarbiter/names.h"

static bool is_device_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    return *name && strchr(letters, name[0]) && strchr(letters, name[strlen(name) - 1]) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:") ==
               strlen(name);
}

/* Returns the JSON object that describes cuarbiter's OCI hook in a CDI specification; the caller
 * frees it. `always`: the hook also serves containers without a GPU. NULL if there is no memory. */
static char *make_hook(const char *command, bool always)
{
    char *hook = NULL;
    size_t size;
    FILE *out = open_memstream(&hook, &size);

    if (!out)
        return NULL;
    fputs("{\"hookName\": \"createContainer\", ", out);
    cua_hook_print(out, command, always);
    fputc('}', out);
    return fclose(out) == 0 ? hook : NULL;
}

/* Prints a specification of the device cuarbiter/shim=NAME. The hook is among the edits of this
 * device, so only a container that asks for the device gets cuarbiter. The container needs no
 * GPU. */
static void print_spec(const char *name, const char *hook)
{
    printf("{\n"
           "  \"cdiVersion\": \"0.3.0\",\n"
           "  \"kind\": \"cuarbiter/shim\",\n"
           "  \"devices\": [\n"
           "    { \"name\": \"%s\",\n"
           "      \"containerEdits\": { \"hooks\": [\n"
           "        %s\n"
           "      ] } }\n"
           "  ]\n"
           "}\n",
           name, hook);
}

/* Called for --remove. If cuarbiter's own specification exists, prints that it was not removed, and
 * why: engines refuse to start a container whose device no specification describes. */
static void tell_of_own(void)
{
    if (access(CUA_CDI_OWN, F_OK) == 0)
        puts(CUA_CDI_OWN
             " stays: containers with --device cuarbiter/shim=on do not start without it; "
             "remove it when there are none");
}

static int merge(char *const *files, int count, const char *hook, enum cua_cdi_how how)
{
    int code = 0;

    if (!count) {
        code = cua_cdi_merge_all(hook, how);
        if (hook && !code && cua_ways_no_reader()) {
            cua_complain("cdi", "no container engine on this node reads CDI specifications, so "
                                "this reaches no container: see cuarbiter node check");
            code = 1;
        }
        return code;
    }
    for (int i = 0; i < count; i++) {
        int one = cua_cdi_merge(files[i], hook, how);
        code = one > code ? one : code;
    }
    return code;
}

static int run(int argc, char **argv)
{
    const char *folder = cua_home_folder(), *name = "on", *output = NULL;
    char command[PATH_MAX];
    int option, code = 0, what = 0;
    enum cua_cdi_how how = CUA_CDI_DO;
    bool watch = false;

    while ((option = cua_option(&cua_verb_cdi, argc, argv, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        if (option == 'd')
            folder = optarg;
        else if (option == 'n')
            name = optarg;
        else if (option == 'o')
            output = optarg;
        else if (option == 'c')
            how = CUA_CDI_DRY;
        else if (option == 'w')
            watch = true;
        else
            what = option;
    }
    if (!what && optind < argc)
        return cua_usage(&cua_verb_cdi, "it takes FILE only with --merge or --remove");
    if (!is_device_name(name))
        return cua_usage(&cua_verb_cdi,
                         "--name takes letters and digits, and - _ . : between them");
    if (what && output)
        return cua_usage(&cua_verb_cdi, "--output cannot be used with --merge or --remove");
    if (watch && (what != 'm' || optind < argc))
        return cua_usage(&cua_verb_cdi, "--watch is used with --merge, and without a FILE");
    if (how == CUA_CDI_DRY && (!what || watch))
        return cua_usage(&cua_verb_cdi,
                         "--dry-run is used with --merge or --remove, and without --watch");
    if (what == 'r') {
        code = merge(argv + optind, argc - optind, NULL, how);
        if (optind == argc)
            tell_of_own();
        return code;
    }
    if (cua_hook_command(folder, command, sizeof(command)))
        return CUA_EXIT_USAGE;
    if (cua_hook_ready(command))
        return 1;
    char *hook = make_hook(command, !what);
    if (!hook) {
        cua_complain("cdi", "%s", strerror(ENOMEM));
        return 1;
    }
    if (watch)
        code = cua_cdi_watch(hook);
    else if (what)
        code = merge(argv + optind, argc - optind, hook, how);
    else if (output && cua_output_to(output))
        code = CUA_EXIT_USAGE;
    else
        print_spec(name, hook);
    free(hook);
    return code;
}

const struct cua_verb cua_verb_cdi = {
    .name = "cdi",
    .run = run,
};
