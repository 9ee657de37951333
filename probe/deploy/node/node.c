/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/node/node.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/text.h"
#include "base/whole.h"
#include "deploy/cdi/spec.h"
#include "deploy/collect/collect.h"
#include "cli/home.h"
#include "cli/jsonout.h"
#include "deploy/hook/check.h"
#include "deploy/hook/switch.h"
#include "deploy/hook/wrapper.h"
#include "deploy/node/drivers.h"
#include "deploy/node/nvidia_config.h"
#include "deploy/node/report.h"
#include "deploy/node/ways.h"
#include "deploy/nri/nri.h"
#include "cli/replace_file.h"
#include "cli/options.h"
#include "cuarbiter/names.h"

#define HOOKS "/etc/containers/oci/hooks.d"
#define MOST  ((size_t)1 << 16)

/* The hook's file in the two folders for hooks, oci-hooks(5). The first folder is for
 * administrators: podman reads it only if hooks_dir in containers.conf names it, CRI-O only if
 * hooks_dir in its own configuration does. Without hooks_dir both read the second. If an engine
 * reads both, the file in the first counts. */
static const char *const places[] = {
    HOOKS "/cuarbiter.json",
    "/usr/share/containers/oci/hooks.d/cuarbiter.json",
};
#define PLACES (sizeof(places) / sizeof(*places))

static const char site_text[] =
    "# cuarbiter's settings for the containers of this node that have no /etc/cuarbiter.conf. A\n"
    "# process reads them when it starts, in running containers too (in privileged ones only "
    "after\n"
    "# the container has started anew). Edit this file or replace it.\n"
    "# disabled                    turns cuarbiter off\n"
    "# CUARBITER_POLICY=report     only logs what cuarbiter would do\n";

/* Returns the members of the JSON object that describes cuarbiter's OCI hook, with `before` and
 * `after` around them; to be freed. NULL if there is no memory. */
static char *around(const char *before, const char *command, const char *after)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fputs(before, out);
    cua_hook_print(out, command, false);
    fputs(after, out);
    return fclose(out) ? NULL : text;
}

/* Returns the text of a file for hooks.d, format 1.0.0; to be freed. NULL if there is no memory.
 * The format has no condition for containers with a GPU, so engines start the hook for every
 * container. */
static char *make_hooks(const char *command)
{
    return around("{\n  \"version\": \"1.0.0\",\n  \"hook\": { ", command,
                  " },\n  \"when\": { \"always\": true },\n"
                  "  \"stages\": [\"createContainer\"]\n}\n");
}

static int complain(const char *what, int error)
{
    cua_complain("node", "%s: %s", what, strerror(-error));
    return 1;
}

/* Writes a file with mode 0644, and makes the folders above it if they are missing. Returns 0, or 1
 * after an error message. */
static int put(const char *path, const char *text)
{
    char part[PATH_MAX];

    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        cua_copy_n(part, sizeof(part), path, (size_t)(slash - path));
        if (!mkdir(part, 0755))
            chmod(part, 0755);
    }
    int error = cua_replace_file(path, text, strlen(text), 0644, NULL, true);
    return error ? complain(path, error) : 0;
}

enum owner { NOBODY, EMPTY, OURS, OTHERS, UNREAD };

/* Finds out whose file is at `path`. NOBODY: there is no file. EMPTY: the file is empty, as a full
 * disk can leave it, and may be replaced. OURS: it is cuarbiter's. OTHERS: it is another program's.
 * UNREAD: it cannot be read, with errno set. */
static enum owner look(const char *path)
{
    char *text = cua_whole_file(path, MOST, NULL);
    enum owner owner = UNREAD;

    if (text)
        owner = !*text ? EMPTY : strstr(text, CUA_HOOK_NAME) ? OURS : OTHERS;
    else if (errno == ENOENT || errno == ENOTDIR)
        owner = NOBODY;
    free(text);
    return owner;
}

/* Whether a file that is not cuarbiter's, or that cannot be read, is at one of `places`; an error
 * message then says so. */
static bool is_others(void)
{
    bool others = false;

    for (size_t i = 0; i < PLACES; i++) {
        enum owner owner = look(places[i]);
        if (owner == UNREAD)
            complain(places[i], -errno);
        else if (owner == OTHERS)
            cua_complain("node", "%s: another program's file is in the way; remove it first",
                         places[i]);
        others |= owner == UNREAD || owner == OTHERS;
    }
    return others;
}

static bool is_on(void)
{
    return look(places[0]) == OURS || look(places[1]) == OURS;
}

/* Writes `text` to both `places`. If /usr is read-only, writes only the first, and prints that the
 * administrator must make the engines read it. Returns 0, or 1 after an error message. */
static int put_everywhere(const char *text)
{
    int code = put(places[0], text);
    struct statvfs fs;

    if (code)
        return code;
    if (!statvfs("/usr/share", &fs) && fs.f_flag & ST_RDONLY) {
        printf("on: %s\n/usr is read-only: add this folder to hooks_dir in containers.conf "
               "(podman) and in crio.conf:\n" HOOKS "\n",
               places[0]);
    } else if (!(code = put(places[1], text))) {
        /* A `node off` that runs beside this may have come between the two files. */
        if (look(places[0]) == NOBODY) {
            unlink(places[1]);
            return complain(places[0], -ENOENT);
        }
        printf("on: %s, %s\n", places[0], places[1]);
    }
    return code;
}

static int check_switch(const char **word)
{
    char trouble[400];

    *word = cua_switch_policy("", trouble, sizeof(trouble));
    if (trouble[0])
        cua_complain("node", CUA_FILE_SWITCH ": %s, until that is fixed", trouble);
    return trouble[0] != '\0';
}

static int switch_on(const char *command)
{
    const char *word;
    int code = is_others() || check_switch(&word) || cua_hook_check(command);
    char *text = code ? NULL : make_hooks(command);

    if (code || !text)
        return code ? code : complain("memory", -ENOMEM);
    if (access(CUA_FILE_SWITCH, F_OK))
        code = put(CUA_FILE_SWITCH, site_text);
    if (!code)
        code = put_everywhere(text);
    free(text);
    if (!code)
        /* `places[1]` is not there if /usr is read-only: then the engines read nothing yet. */
        printf("podman and CRI-O %sadd cuarbiter to each new container with a GPU.\nFor containerd "
               "and Docker, which read CDI specifications: cuarbiter cdi --merge\nTo switch it off "
               "in every container, also in running ones (in privileged ones at their next start), "
               "write disabled into " CUA_FILE_SWITCH "\nThe policy there: %s\n",
               look(places[1]) == OURS ? "now " : "then ", word);
    return code;
}

static int switch_off(void)
{
    char path[PATH_MAX];
    bool there = false;

    if (is_others())
        return 1;
    /* A `node on` that runs beside this may write the first file again, so look at it again. */
    for (size_t i = 0; i < PLACES;) {
        enum owner owner = look(places[i]);
        if (owner != OURS && owner != EMPTY) {
            i++;
            continue;
        }
        there = true;
        if (unlink(places[i]) && errno != ENOENT)
            return complain(places[i], -errno);
        i = 0;
    }
    /* Remove the temporary files that a killed `node on` has left in hooks.d. */
    for (size_t i = 0; i < PLACES; i++)
        if (cua_copy(path, sizeof(path), places[i]) &&
            cua_append(path, sizeof(path), CUA_FRESH_SUFFIX))
            unlink(path);
    puts(there ? "off for podman and CRI-O: new containers start without cuarbiter, running ones "
                 "keep it. "
                 "For CDI: cuarbiter cdi --remove; for NRI: systemctl disable --now "
                 "cuarbiter-nri.service"
               : "hooks.d has no cuarbiter.json: there was nothing to remove");
    return 0;
}

/* `node check`. Checks whether the hook in `folder` works, and which policy the node's site file
 * (deploy/hook/switch.h) sets for containers. If one of the two is wrong, and `json` is not set,
 * ends there. Otherwise also prints
 * - in which ways containers ask for a GPU, and whether the hook reaches them;
 * - which of the drivers that were brought to the node containers get (drivers.h);
 * - without `json`, a note if NVIDIA's own hook is off (nvidia_config.h).
 * For another root (`sysroot`) leaves out the hook and the policy, and starts no program. Returns
 * the exit code. */
static int check(const char *command, const char *folder, const char *sysroot, bool json)
{
    const char *word = NULL, *off;
    int wrong = sysroot[0] ? 0 : check_switch(&word);
    int fails = sysroot[0] ? 0 : cua_hook_check(command), code = wrong | fails;
    struct cua_ways ways = {.root = sysroot};

    if (code && !json)
        return code;
    cua_ways_find(&ways);
    if (!sysroot[0] && !json) {
        puts("the hook works on this node");
        if (ways.reads_hooks || is_on())
            printf("hooks.d, for podman and CRI-O: the hook is %sthere\n", is_on() ? "" : "not ");
        printf("the node's policy is: %s\n", word);
    }
    if (!json && (off = cua_nvidia_hook_off(sysroot)))
        printf("NVIDIA's own hook for bundled drivers is off (%s), so containers with cuarbiter's "
               "hook keep the host's driver, unless they need a later major version of CUDA\n",
               off);
    if (json) {
        cua_jsonout_open(NULL, '{');
        cua_ways_json(&ways, sysroot[0] ? NULL : fails ? "fails" : "works", word);
        cua_node_drivers_json(sysroot, folder);
        cua_jsonout_close('}');
    } else {
        cua_ways_print(&ways);
        cua_node_drivers(sysroot, folder);
    }
    return code ? code : cua_ways_code(&ways);
}

/* Prints the hook: as a file for hooks.d; as an OCI runtime configuration that has only the member
 * hooks (`oci`); or as the configuration in `file` with the hook added. Returns the exit code. */
static int print(const char *command, bool oci, const char *file)
{
    char trouble[CUA_SPEC_TROUBLE];
    char *text = file  ? cua_whole_file(file, MOST, NULL)
                 : oci ? around("{ \"hooks\": { \"createContainer\": [ { ", command, " } ] } }\n")
                       : make_hooks(command);

    if (file && text) {
        char *hook = around("", command, ""), *base = text;
        snprintf(trouble, sizeof(trouble), "%s", strerror(ENOMEM));
        text = hook ? cua_spec_runtime(base, hook, trouble) : NULL;
        free(hook);
        free(base);
    } else if (!text) {
        snprintf(trouble, sizeof(trouble), "%s", strerror(errno));
    }
    if (text)
        fputs(text, stdout);
    else
        cua_complain(file ? file : "node", "%s", trouble);
    free(text);
    return !text;
}

static int run(int argc, char **argv)
{
    static const char *const words[] = {"on",        "off",     "check", "print",
                                        "print-oci", "collect", "nri"};
    const char *folder = cua_home_folder(), *sysroot = "";
    char command[PATH_MAX], real[PATH_MAX];
    int option, code = 0;
    bool json = false;

    while ((option = cua_option(&cua_verb_node, argc, argv, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        if (option == 'd')
            folder = optarg;
        else if (option == 'j')
            json = true;
        else
            sysroot = optarg;
    }
    int word = optind < argc ? cua_find(words, sizeof(words) / sizeof(*words), argv[optind]) : -1;
    if (word < 0 || argc > optind + (word == 4 ? 2 : 1))
        return cua_usage(
            &cua_verb_node,
            word >= 0 ? "only print-oci takes a FILE, and only one"
                      : "name an action: on, off, check, collect, print, print-oci [FILE] or nri");
    if (word != 2 && (json || sysroot[0]))
        return cua_usage(&cua_verb_node, "--json and --sysroot are only for the action check");
    if (sysroot[0] && !realpath(sysroot, real)) {
        cua_complain(sysroot, "%s", strerror(errno));
        return CUA_EXIT_USAGE;
    }
    if (sysroot[0])
        sysroot = strcmp(real, "/") == 0 ? "" : real;
    if (word == 5)
        return cua_collect();
    if (cua_hook_command(folder, command, sizeof(command)))
        return CUA_EXIT_USAGE;
    if (word == 0)
        return switch_on(command);
    if (word == 1)
        return switch_off();
    if (word == 6)
        return cua_nri(command);
    return word == 2 ? check(command, folder, sysroot, json)
                     : print(command, word == 4, argv[optind + 1]);
}

const struct cua_verb cua_verb_node = {
    .name = "node",
    .run = run,
};
