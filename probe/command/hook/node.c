/* SPDX-License-Identifier: Apache-2.0 */
#include "command/hook/node.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/whole.h"
#include "command/home.h"
#include "command/hook/check.h"
#include "command/hook/wrapper.h"
#include "command/replace_file.h"
#include "command/options.h"
#include "cuarbiter/names.h"

/* oci-hooks(5): where an administrator's hooks lie. */
#define HOOKS   "/etc/containers/oci/hooks.d"
#define FILE_ON HOOKS "/cuarbiter.json"
#define MOST    ((size_t)1 << 16)
#define SITE    CUA_DIR_SITE "/cuarbiter.conf"

static const char site_text[] =
    "# The switch of this node: what every new process of its containers goes by, also of those\n"
    "# that run already. Put a new file in this one's place, or edit it.\n"
    "# disabled                    turns cuarbiter off\n"
    "# CUARBITER_POLICY=report     decides and logs, changes nothing\n";

/* 1.0.0 of hooks.d. Every container is shown to the hook: what makes one a GPU's is not among the
 * conditions that this format knows. */
static void print_hooks(FILE *out, const char *command)
{
    fputs("{\n  \"version\": \"1.0.0\",\n  \"hook\": { ", out);
    cua_hook_print(out, command, false);
    fputs(" },\n  \"when\": { \"always\": true },\n  \"stages\": [\"createContainer\"]\n}\n", out);
}

static void print_oci(FILE *out, const char *command)
{
    fputs("{ \"hooks\": { \"createContainer\": [ { ", out);
    cua_hook_print(out, command, false);
    fputs(" } ] } }\n", out);
}

static int complain(const char *what, int error)
{
    cua_complain("node", "%s: %s", what, strerror(-error));
    return 1;
}

static int make_folders(const char *path)
{
    char part[PATH_MAX];

    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        cua_copy_n(part, sizeof(part), path, (size_t)(slash - path));
        if (!mkdir(part, 0755))
            chmod(part, 0755);
        else if (errno != EEXIST)
            return -errno;
    }
    return 0;
}

static int put(const char *path, const char *text)
{
    int error = make_folders(path);

    if (!error)
        error = cua_replace_file(path, text, strlen(text), 0644, NULL, true);
    return error ? complain(path, error) : 0;
}

static bool is_on(void)
{
    char *text = cua_whole_file(FILE_ON, MOST, NULL);
    bool on = text && strstr(text, cua_hook_script());

    free(text);
    return on;
}

static int switch_on(const char *command)
{
    char *text = NULL;
    size_t size;
    int code = cua_hook_check(command);
    FILE *out = code ? NULL : open_memstream(&text, &size);

    if (code)
        return code;
    if (!out)
        return complain("memory", -errno);
    print_hooks(out, command);
    if (fclose(out) != 0)
        code = complain("memory", -errno);
    if (!code && access(SITE, F_OK))
        code = put(SITE, site_text);
    if (!code)
        code = put(FILE_ON, text);
    free(text);
    if (!code)
        puts("on: " FILE_ON "\n"
             "podman and CRI-O give the library to each new container with a GPU.\n"
             "containerd and Docker read CDI specifications: cuarbiter cdi --merge\n"
             "The switch, for containers that run too: " SITE);
    return code;
}

static int switch_off(void)
{
    if (access(FILE_ON, F_OK) && errno == ENOENT) {
        puts("off already");
        return 0;
    }
    if (!is_on()) {
        cua_complain("node", FILE_ON ": another's file");
        return 1;
    }
    if (unlink(FILE_ON))
        return complain(FILE_ON, -errno);
    puts("off: new containers start without the library; those that run keep it");
    return 0;
}

static int check(const char *command)
{
    int code = cua_hook_check(command);

    if (!code)
        printf("the hook works on this node; in " HOOKS " it is %s\n", is_on() ? "on" : "off");
    return code;
}

static int run(int argc, char **argv)
{
    static const char *const words[] = {"on", "off", "check", "print", "print-oci"};
    const char *folder = cua_home_folder();
    char command[PATH_MAX];
    int option, code = 0;

    while ((option = cua_option(&cua_verb_node, argc, argv, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        folder = optarg;
    }
    int word = optind < argc ? cua_find(words, sizeof(words) / sizeof(*words), argv[optind]) : -1;
    if (word < 0 || optind + 1 != argc)
        return cua_usage(&cua_verb_node, "on, off, check, print or print-oci");
    if (cua_hook_command(folder, command, sizeof(command)))
        return CUA_EXIT_USAGE;
    switch (word) {
    case 0:
        return switch_on(command);
    case 1:
        return switch_off();
    case 2:
        return check(command);
    case 3:
        print_hooks(stdout, command);
        return 0;
    default:
        print_oci(stdout, command);
        return 0;
    }
}

const struct cua_verb cua_verb_node = {
    .name = "node",
    .run = run,
};
