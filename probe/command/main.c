/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cuarbiter/contract.h"
#include "cuarbiter/names.h"
#include "tables/tables.h"
#include "command/verb.h"
#include "machine/subject.h"
#include "tables/load.h"
#include "command/cdi/cdi.h"
#include "command/dockerfile.h"
#include "command/doctor/doctor.h"
#include "command/explain.h"
#include "command/inspect.h"
#include "command/install/install.h"
#include "command/install/uninstall.h"
#include "command/matrix/matrix.h"
#include "command/path.h"
#include "command/run.h"
#include "command/status/status.h"
#include "command/trial.h"

const char cua_command_mark = 1;

static const struct cua_verb *const verbs[] = {
    &cua_verb_status,     &cua_verb_inspect, &cua_verb_trial,     &cua_verb_run,
    &cua_verb_explain,    &cua_verb_doctor,  &cua_verb_matrix,    &cua_verb_cdi,
    &cua_verb_dockerfile, &cua_verb_install, &cua_verb_uninstall, &cua_verb_path,
};

#define CUA_VERBS (sizeof(verbs) / sizeof(*verbs))

static void print_help(FILE *to)
{
    fputs("Usage: cuarbiter VERB [OPTION]...\n"
          "\n"
          "Which libcuda a process gets, and why.\n"
          "\n",
          to);
    for (size_t i = 0; i < CUA_VERBS; i++)
        fprintf(to, "  %-11s %s\n", verbs[i]->name, verbs[i]->summary);
    fputs(
        "\n"
        "'cuarbiter VERB --help' tells the rest; --version the version and the date of the data.\n"
        "Manual: cuarbiter(1), cuarbiter(7).\n",
        to);
}

static int print_version(void)
{
    const struct cua_data *data = cua_data_for(&cua_here);

    printf("cuarbiter %s\ndata of %s, driver branches up to %u%s%s\n", CUA_VERSION,
           cua_data_date(data), cua_data_newest_branch(data),
           data->replaced[0] ? ", replaced: " : "", data->replaced);
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

static int run(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    if (is_help(name) || strcmp(name, "help") == 0) {
        const struct cua_verb *verb = argc > 2 ? find_verb(argv[2]) : NULL;
        if (verb)
            fputs(verb->usage, stdout);
        else
            print_help(stdout);
        return 0;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return print_version();
    if (!name[0]) {
        print_help(stderr);
        return CUA_EXIT_USAGE;
    }
    const struct cua_verb *verb = find_verb(name);
    if (!verb) {
        fprintf(stderr, "cuarbiter: %s: there is no such verb\nTry 'cuarbiter --help'.\n", name);
        return CUA_EXIT_USAGE;
    }
    if (argc > 2 && is_help(argv[2])) {
        fputs(verb->usage, stdout);
        return 0;
    }
    return verb->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int code = run(argc, argv);

    if (fflush(stdout) != 0 || ferror(stdout)) {
        cua_complain("standard output", "%s", strerror(errno));
        return CUA_EXIT_OUTPUT;
    }
    return code;
}
