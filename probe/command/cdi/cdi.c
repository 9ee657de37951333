/* SPDX-License-Identifier: Apache-2.0 */
#include "command/cdi/cdi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "command/options.h"
#include "command/output.h"
#include "command/verb.h"
#include "command/home.h"
#include "command/cdi/merge.h"
#include "command/cdi/mounts.h"

struct spec {
    char folder[PATH_MAX];
    const char *name;
    bool env;
};

static void print_mount(const char *folder, const struct cua_cdi_mount *mount)
{
    fputs("          { \"hostPath\": ", stdout);
    cua_cdi_string(stdout, folder, mount->host);
    printf(",\n"
           "            \"containerPath\": \"%s\",\n"
           "            \"options\": [\"ro\", \"nosuid\", \"nodev\", \"bind\"] }",
           mount->container);
}

/* The edits stand inside the device: a container that does not ask for it stays as it is. */
static void print_spec(const struct spec *spec)
{
    printf("{\n"
           "  \"cdiVersion\": \"0.3.0\",\n"
           "  \"kind\": \"cuarbiter/shim\",\n"
           "  \"devices\": [\n"
           "    { \"name\": \"%s\",\n"
           "      \"containerEdits\": {\n",
           spec->name);
    if (spec->env)
        puts("        \"env\": [\"LD_PRELOAD=" CUA_CDI_INSIDE "/" CUA_FILE_SHIM "\"],");
    puts("        \"mounts\": [");
    for (size_t i = 0; i < CUA_CDI_MOUNTS; i++) {
        if (spec->env && cua_cdi_mounts[i].preload)
            continue;
        if (i)
            puts(",");
        print_mount(spec->folder, &cua_cdi_mounts[i]);
    }
    puts("\n"
         "        ] } }\n"
         "  ]\n"
         "}");
}

static bool is_device_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    return *name && strchr(letters, name[0]) && strchr(letters, name[strlen(name) - 1]) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:") ==
               strlen(name);
}

static int run(int argc, char **argv)
{
    struct spec spec = {.name = "on"};
    const char *folder = cua_home_folder(), *merge = NULL, *output = NULL;
    bool remove = false;
    int option, code = 0;
    while ((option = cua_option(&cua_verb_cdi, argc, argv, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        if (option == 'd')
            folder = optarg;
        else if (option == 'n')
            spec.name = optarg;
        else if (option == 'o')
            output = optarg;
        else if (option == 'm' || option == 'r') {
            merge = optarg;
            remove = option == 'r';
        } else
            spec.env = true;
    }
    if (optind < argc)
        return cua_usage(&cua_verb_cdi, "one argument too many");
    if (!is_device_name(spec.name))
        return cua_usage(&cua_verb_cdi, "--name: letters, digits and -_.: inside");
    if (merge && (spec.env || output))
        return cua_usage(&cua_verb_cdi, "--env and --output do not go with --merge and --remove");
    if (remove)
        return cua_cdi_merge(merge, NULL, true);
    if (!realpath(folder, spec.folder)) {
        cua_complain(folder, "%s", strerror(errno));
        return CUA_EXIT_USAGE;
    }
    if (cua_cdi_prepare(spec.folder, spec.env))
        return 1;
    if (merge)
        return cua_cdi_merge(merge, spec.folder, false);
    if (output && cua_output_to(output))
        return CUA_EXIT_USAGE;
    print_spec(&spec);
    return 0;
}

const struct cua_verb cua_verb_cdi = {
    .name = "cdi",
    .run = run,
};
