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
    static const struct option options[] = {
        {"dir", required_argument, NULL, 'd'},    {"name", required_argument, NULL, 'n'},
        {"env", no_argument, NULL, 'e'},          {"merge", required_argument, NULL, 'm'},
        {"remove", required_argument, NULL, 'r'}, CUA_OPTION_HELP,
    };
    struct spec spec = {.name = "on"};
    const char *folder = cua_home(), *merge = NULL;
    bool remove = false;
    int option, code = 0;
    while ((option = cua_option(&cua_verb_cdi, argc, argv, options, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        if (option == 'd')
            folder = optarg;
        else if (option == 'n')
            spec.name = optarg;
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
    if (merge && spec.env)
        return cua_usage(&cua_verb_cdi, "--env does not go with --merge and --remove");
    if (remove)
        return cua_cdi_merge(merge, NULL, true);
    if (!realpath(folder, spec.folder)) {
        cua_complain("cdi", "%s: %s", folder, strerror(errno));
        return 1;
    }
    if (cua_cdi_prepare(spec.folder, spec.env))
        return 1;
    if (merge)
        return cua_cdi_merge(merge, spec.folder, false);
    print_spec(&spec);
    if (fflush(stdout) || ferror(stdout)) {
        cua_complain("cdi", "standard output: %s", strerror(errno));
        return 1;
    }
    return 0;
}

const struct cua_verb cua_verb_cdi = {
    .name = "cdi",
    .summary = "a CDI specification for podman, containerd, CRI-O and Docker",
    .usage =
        "Usage: cuarbiter cdi [--dir DIR] [--name NAME] [--env] > /etc/cdi/cuarbiter.json\n"
        "       cuarbiter cdi [--dir DIR] --merge FILE\n"
        "       cuarbiter cdi --remove FILE\n"
        "\n"
        "Prints a CDI specification. A container that asks for the device cuarbiter/shim=on gets\n"
        "the folder at " CUA_CDI_INSIDE
        " and the shim in every process. Its image's own LD_PRELOAD\n"
        "stays; an /etc/ld.so.preload of the image's own is hidden. With --merge every container\n"
        "that asks for a device of another specification gets them: every GPU container of a "
        "node.\n"
        "\n"
        "  --dir DIR      the host's folder with the three files; the command's own unless given.\n"
        "                 DIR/" CUA_CDI_PRELOAD " and DIR/" CUA_CDI_SITE
        ", which containers see as\n"
        "                 " CUA_FILE_SITE ", are written there if they are missing\n"
        "  --name NAME    the device is cuarbiter/shim=NAME\n"
        "  --env          LD_PRELOAD as a variable: replaces the image's own LD_PRELOAD\n"
        "  --merge FILE   adds the mounts to the specification that nvidia-ctk generated\n"
        "  --remove FILE  takes them out again\n"
        "  --help         this text\n",
    .run = run,
};
