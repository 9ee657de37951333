/* SPDX-License-Identifier: Apache-2.0 */
/* The command's main program: runs the verb that is named, or prints help. At the end moves the
 * file of --output into place (cli/output.h). */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cuarbiter/names.h"
#include "tables/tables.h"
#include "cli/help.h"
#include "cli/manual.h"
#include "cli/suggest.h"
#include "cli/output.h"
#include "command/bug_report.h"
#include "cli/verb.h"
#include "machine/subject.h"
#include "tables/load.h"
#include "deploy/cdi/cdi.h"
#include "command/code/code.h"
#include "deploy/dockerfile.h"
#include "command/doctor/doctor.h"
#include "command/driver/driver.h"
#include "command/explain.h"
#include "deploy/hook/hook.h"
#include "deploy/node/node.h"
#include "deploy/nri/nri.h"
#include "command/inspect.h"
#include "deploy/install/install.h"
#include "deploy/install/uninstall.h"
#include "command/matrix/matrix.h"
#include "command/path.h"
#include "command/run.h"
#include "command/status/status.h"
#include "command/summary/summary.h"
#include "command/trial.h"

/* Marks the command for the shim (libcuarbiter.so), which does nothing in a process whose program
 * exports this symbol. */
extern __attribute__((visibility("default"))) const char cua_command_mark;
const char cua_command_mark = 1;

static const struct cua_verb *const verbs[] = {
    &cua_verb_status,     &cua_verb_inspect, &cua_verb_trial,     &cua_verb_run,
    &cua_verb_explain,    &cua_verb_doctor,  &cua_verb_matrix,    &cua_verb_cdi,
    &cua_verb_dockerfile, &cua_verb_install, &cua_verb_uninstall, &cua_verb_path,
    &cua_verb_report,     &cua_verb_code,    &cua_verb_summary,   &cua_verb_hook,
    &cua_verb_node,       &cua_verb_driver,
};

#define CUA_VERBS (sizeof(verbs) / sizeof(*verbs))

static int print_version(void)
{
    const struct cua_data *data = cua_data_for(&cua_here);

    printf("cuarbiter %s\ndata of %s, driver branches up to %u%s%s\n", CUA_VERSION, data->date,
           cua_data_newest_branch(data), data->replaced[0] ? ", replaced: " : "", data->replaced);
    return 0;
}

static const struct cua_verb *find_verb(const char *name)
{
    for (size_t i = 0; i < CUA_VERBS; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Prints an error message about an unknown verb, and suggests the one that was probably meant. */
static int unknown_verb(const char *name)
{
    const char *best = NULL;
    unsigned distance = CUA_NEAR;

    for (size_t i = 0; i < CUA_VERBS; i++) {
        unsigned mine = cua_distance(name, verbs[i]->name);
        if (mine < distance) {
            distance = mine;
            best = verbs[i]->name;
        }
    }
    cua_complain(name, "there is no such verb%s%s%s", best ? "; did you mean '" : "",
                 best ? best : "", best ? "'?" : "");
    fputs("Try 'cuarbiter --help'.\n", stderr);
    return CUA_EXIT_USAGE;
}

static int help(const char *name)
{
    const struct cua_manual *manual = name ? cua_manual_find(name) : NULL;

    if (name && !manual)
        return unknown_verb(name);
    if (manual)
        cua_help_verb(manual);
    else
        cua_help(stdout);
    return 0;
}

static int run(int argc, char **argv)
{
    static char node[] = "node", nri[] = "nri";
    const char *name = argc > 1 ? argv[1] : "";

    /* containerd starts an NRI plugin without arguments; the plugin is `cuarbiter node nri`. */
    if (argc == 1 && cua_nri_launched(argv[0]))
        return cua_verb_node.run(2, (char *[]){node, nri, NULL});
    if (is_help(name) || strcmp(name, "help") == 0)
        return help(argc > 2 ? argv[2] : NULL);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return print_version();
    if (!name[0]) {
        cua_help(stderr);
        return CUA_EXIT_USAGE;
    }
    const struct cua_verb *verb = find_verb(name);
    if (!verb)
        return unknown_verb(name);
    return verb->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int code = run(argc, argv);

    if (fflush(stdout) != 0 || ferror(stdout)) {
        int error = errno;
        cua_output_drop();
        cua_complain(cua_output_name(), "%s", strerror(error));
        return CUA_EXIT_OUTPUT;
    }
    return cua_output_keep(code);
}
