/* SPDX-License-Identifier: Apache-2.0 */
#include "command/hook/node.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "base/whole.h"
#include "command/cdi/spec_json.h"
#include "command/home.h"
#include "command/hook/check.h"
#include "command/hook/wrapper.h"
#include "command/replace_file.h"
#include "command/options.h"
#include "base/policy.h"
#include "machine/site.h"
#include "cuarbiter/names.h"

#define HOOKS "/etc/containers/oci/hooks.d"
#define MOST  ((size_t)1 << 16)
#define SITE  CUA_DIR_SITE "/cuarbiter.conf"

/* oci-hooks(5): an administrator's hooks lie in the first. podman reads that only where
 * containers.conf names it, CRI-O where its own configuration does; all read the second. Of two
 * files with one name the first counts. */
static const char *const places[] = {
    HOOKS "/cuarbiter.json",
    "/usr/share/containers/oci/hooks.d/cuarbiter.json",
};
#define PLACES (sizeof(places) / sizeof(*places))

static const char site_text[] =
    "# The switch of this node: what every new process of its containers goes by, also of those\n"
    "# that run already. Put a new file in this one's place, or edit it.\n"
    "# disabled                    turns cuarbiter off\n"
    "# CUARBITER_POLICY=report     decides and logs, changes nothing\n";

/* The hook between two texts; owned, NULL without memory. */
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

/* 1.0.0 of hooks.d. Every container is shown to the hook: what makes one a GPU's is not among the
 * conditions that this format knows. */
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

/* With the folders above it. */
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

enum owner { NOBODY, EMPTY, OURS, OTHERS };

/* Whose file is there. A full disk leaves an empty one. */
static enum owner look(const char *path)
{
    char *text = cua_whole_file(path, MOST, NULL);
    enum owner owner = OTHERS;

    if (text)
        owner = !*text ? EMPTY : strstr(text, CUA_HOOK_NAME) ? OURS : OTHERS;
    else if (errno == ENOENT || errno == ENOTDIR)
        owner = NOBODY;
    free(text);
    return owner;
}

static bool is_others(void)
{
    bool others = false;

    for (size_t i = 0; i < PLACES; i++)
        if (look(places[i]) == OTHERS) {
            cua_complain("node", "%s: another's file", places[i]);
            others = true;
        }
    return others;
}

static bool is_on(void)
{
    return look(places[0]) == OURS || look(places[1]) == OURS;
}

/* /usr may be read-only, and then the administrator has to name the other folder. */
static int put_everywhere(const char *text)
{
    int code = put(places[0], text);
    struct statvfs fs;

    if (code)
        return code;
    if (!statvfs("/usr/share", &fs) && fs.f_flag & ST_RDONLY)
        printf("on: %s\n/usr is read-only: hooks_dir of containers.conf (podman) and of crio.conf "
               "has to name\n" HOOKS "\n",
               places[0]);
    else if (!(code = put(places[1], text)))
        printf("on: %s, %s\n", places[0], places[1]);
    return code;
}

/* What programs in containers make of the switch: who is not root reads it there too. */
static const char *look_at_switch(char *trouble, size_t size)
{
    struct cua_settings none = {.env = (char *[]){NULL}};
    int found = CUA_POLICY_AUTO;
    struct stat st, folder;
    struct cua_site site;
    const char *policy;

    *trouble = '\0';
    if (!cua_site_load(&site, SITE, false))
        return cua_policies[found];
    if (site.trouble[0])
        cua_copy(trouble, size, site.trouble);
    else if (cua_stat(SITE, &st) || cua_stat(CUA_DIR_SITE, &folder) || !(st.st_mode & 004) ||
             !(folder.st_mode & 001))
        cua_copy(trouble, size, "everybody has to be able to read it");
    if ((policy = cua_site_value(&site, &none, CUA_ENV_POLICY, NULL)))
        found = cua_policy_find(policy);
    if (found < 0)
        snprintf(trouble, size, "CUARBITER_POLICY=%s is none of " CUA_POLICY_WORDS, policy);
    policy = site.disabled || found < 0 ? "disabled" : cua_policies[found];
    cua_site_release(&site);
    return policy;
}

static int check_switch(const char **word)
{
    char trouble[200];

    *word = look_at_switch(trouble, sizeof(trouble));
    if (trouble[0])
        cua_complain("node", SITE ": %s: cuarbiter is off in every container until that is mended",
                     trouble);
    return trouble[0] != '\0';
}

static int switch_on(const char *command)
{
    const char *word;
    int code = is_others() || check_switch(&word) || cua_hook_check(command);
    char *text = code ? NULL : make_hooks(command);

    if (code || !text)
        return code ? code : complain("memory", -ENOMEM);
    if (access(SITE, F_OK))
        code = put(SITE, site_text);
    if (!code)
        code = put_everywhere(text);
    free(text);
    if (!code)
        puts("podman and CRI-O give the library to each new container with a GPU.\n"
             "containerd and Docker read CDI specifications: cuarbiter cdi --merge\n"
             "The switch, for containers that run too: " SITE);
    if (!code)
        printf("It says: %s\n", word);
    return code;
}

static int switch_off(void)
{
    bool there = false;

    if (is_others())
        return 1;
    for (size_t i = 0; i < PLACES; i++) {
        if (look(places[i]) == NOBODY)
            continue;
        there = true;
        if (unlink(places[i]))
            return complain(places[i], -errno);
    }
    puts(there ? "off: new containers start without the library; those that run keep it"
               : "off already");
    return 0;
}

static int check(const char *command)
{
    const char *word;
    int code = check_switch(&word) | cua_hook_check(command);

    if (!code)
        printf("the hook works on this node; it is %s\nthe switch says: %s\n",
               is_on() ? "on" : "off", word);
    return code;
}

/* As hooks.d has it, as the member of a runtime's configuration, or as the whole of one. */
static int print(const char *command, bool oci, const char *file)
{
    const char *trouble = strerror(ENOMEM);
    char *text = file  ? cua_whole_file(file, MOST, NULL)
                 : oci ? around("{ \"hooks\": { \"createContainer\": [ { ", command, " } ] } }\n")
                       : make_hooks(command);

    if (file && text) {
        char *hook = around("", command, ""), *base = text;
        text = hook ? cua_runtime_json(base, hook, &trouble) : NULL;
        free(hook);
        free(base);
    } else if (!text) {
        trouble = strerror(errno);
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
    if (word < 0 || argc > optind + (word == 4 ? 2 : 1))
        return cua_usage(&cua_verb_node, "on, off, check, print or print-oci [FILE]");
    if (cua_hook_command(folder, command, sizeof(command)))
        return CUA_EXIT_USAGE;
    if (word == 0)
        return switch_on(command);
    if (word == 1)
        return switch_off();
    return word == 2 ? check(command) : print(command, word == 4, argv[optind + 1]);
}

const struct cua_verb cua_verb_node = {
    .name = "node",
    .run = run,
};
