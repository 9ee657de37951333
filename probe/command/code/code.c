/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/version.h"
#include "cli/options.h"
#include "command/code/judge.h"
#include "command/code/report.h"
#include "command/code/target.h"
#include "command/code/tree.h"
#include "command/fact_words.h"
#include "command/gpu_support.h"
#include "command/status/status.h"
#include "cuarbiter/names.h"

/* The GPUs and drivers that the command line names. Each GPU is paired with each driver. */
struct code_options {
    struct cua_status_options status;
    const char *gpu[CUA_CODE_GPUS], *driver[CUA_CODE_DRIVERS], *libcuda;
    /* is_cc: the GPU is given as a capability (--cc), not as a model.
     * is_cuda: the driver is given as a CUDA version (--cuda), not as a driver version. */
    bool is_cc[CUA_CODE_GPUS], is_cuda[CUA_CODE_DRIVERS];
    size_t gpus, drivers;
};

/* The last driver branch that the tables list for this CUDA; 0: none. */
static unsigned branch_of(const struct cua_data *data, unsigned cuda)
{
    unsigned branch = 0;

    for (size_t i = 0; i < data->umds; i++)
        if (data->umd[i].cuda == cuda)
            branch = data->umd[i].branch;
    return branch;
}

static void name_driver(struct cua_code_target *target, const struct code_options *options,
                        size_t i, const struct cua_data *data)
{
    const char *name = options->driver[i];
    struct cua_version version = {.part = {0}};

    if (options->is_cuda[i]) {
        snprintf(target->driver, sizeof target->driver, "CUDA %s", name);
        target->cuda = cua_cuda_parse(name);
    } else {
        snprintf(target->driver, sizeof target->driver, "%s", name);
        cua_version_of_driver(&version, name);
        target->cuda = cua_data_umd_cuda(data, &version);
    }
    target->compiler = target->cuda;
    const unsigned branch = options->is_cuda[i] ? branch_of(data, target->cuda) : version.part[0];
    cua_gpu_refusal(target->refused, sizeof target->refused, data, target->cc, branch, branch);
}

static void name_gpu(struct cua_code_target *target, const struct code_options *options, size_t i,
                     const struct cua_data *data)
{
    snprintf(target->gpu, sizeof target->gpu, "%s", options->gpu[i]);
    target->cc = options->is_cc[i] ? cua_cc_parse(options->gpu[i])
                                   : cua_data_gpu_by_model(data, options->gpu[i]).cc;
}

/* Makes a target of each pair of a GPU and a driver that the command line names. If no GPU or no
 * driver is named, this machine's is used. False: no memory. */
static bool pair(struct cua_code_look *look, const struct code_options *options)
{
    const struct cua_data *data = look->report.facts.data;
    const size_t gpus = options->gpus ? options->gpus : 1;
    const size_t drivers = options->drivers ? options->drivers : 1;
    const struct cua_code_target here = look->target[0];
    struct cua_code_target *targets = calloc(gpus * drivers, sizeof *targets);

    if (!targets)
        return false;
    for (size_t i = 0; i < gpus * drivers; i++) {
        targets[i] = here;
        if (options->gpus)
            name_gpu(&targets[i], options, i / drivers, data);
        if (options->drivers)
            name_driver(&targets[i], options, i % drivers, data);
    }
    free(look->target);
    look->target = targets;
    look->targets = gpus * drivers;
    return true;
}

/* Finds the GPUs and drivers to judge for. False: no memory, or an error message was printed. */
static bool find_targets(struct cua_code_look *look, const struct code_options *options)
{
    const struct cua_facts *facts = &look->report.facts;
    const struct cua_verdict *verdict = &look->report.verdict;
    const char *cuda = options->drivers && options->is_cuda[0] ? options->driver[0] : NULL;

    look->target = calloc(1, sizeof *look->target);
    look->targets = 1;
    if (!look->target || !cua_status_of(&look->report, &options->status, options->libcuda))
        return false;
    look->place = options->status.sysroot ? &look->report.subject : &cua_here;
    look->driver = verdict->chosen ? verdict->chosen : facts->loader;
    if (cuda || (look->driver && look->driver->state != CUA_UMD_USABLE))
        look->driver = NULL;
    if (options->libcuda &&
        (!look->driver || !(look->driver->found & CUA_FOUND_NAMED) ||
         cua_elf_open(&look->libcuda, cua_real_open(look->place, look->driver->real), NULL,
                      EM_NONE) != CUA_ELF_FINE)) {
        cua_complain(options->libcuda, "not a usable libcuda");
        return false;
    }
    struct cua_code_target *target = look->target;
    cua_code_target_of(target, &look->report, look->driver);
    if (options->gpus && options->is_cc[0])
        target->cc = cua_cc_parse(options->gpu[0]);
    if (cuda)
        target->cuda = target->compiler = cua_cuda_parse(cuda);
    look->machine = !cuda && !options->libcuda && !(options->gpus && options->is_cc[0]);
    const unsigned kmd = cuda ? branch_of(facts->data, target->cuda) : facts->kmd.version.part[0];
    cua_gpu_refusal(target->refused, sizeof target->refused, facts->data, target->cc, kmd,
                    look->driver ? look->driver->version.part[0] : kmd);
    return options->gpus * (options->drivers ? options->drivers : 1) <= 1 && options->drivers <= 1
               ? true
               : pair(look, options);
}

/* Parses the value of --fail-on, such as "200,222", into bits of `fail_on`. False if it is too
 * long, or if one of its words is not the number of a result. */
static bool take_ends(struct cua_code_look *look, const char *text)
{
    char buf[64], *rest = buf, *word;

    if (!cua_copy(buf, sizeof buf, text))
        return false;
    look->fail_on = 0;
    look->strict = true;
    while ((word = strsep(&rest, ","))) {
        enum cua_code_end end = CUA_CODE_ENDS;
        while (end > 0 && (!cua_code_number(end) || strcmp(cua_code_word(end), word) != 0))
            end--;
        if (!end)
            return false;
        look->fail_on |= 1u << end;
    }
    return true;
}

/* Stores one option and its value. Returns NULL, or what is wrong with it. */
static const char *take(struct cua_code_look *look, struct code_options *options, int option,
                        const char *value)
{
    const bool gpu = option == 'g' || option == 'c', driver = option == 'k' || option == 'C';
    const char *wrong = NULL;

    if (option == 'I') {
        if (look->ignores == CUA_CODE_IGNORED)
            return "--ignore can be given 64 times at most";
        look->ignored[look->ignores++] = value;
        return NULL;
    }
    if (option == 'F')
        return take_ends(look, value) ? NULL : "--fail-on is a list of 35, 100, 200, 209, 222";
    if (option == 'C')
        wrong = cua_cuda_parse(value) ? NULL : "--cuda is a CUDA version like 12.4";
    else
        wrong = cua_status_take(&options->status, option, value);
    if (wrong)
        return wrong;
    if ((gpu && options->gpus == CUA_CODE_GPUS) || (driver && options->drivers == CUA_CODE_DRIVERS))
        return gpu ? "pass at most 16 of --gpu and --cc together"
                   : "pass at most 16 of --kmd and --cuda together";
    if (gpu) {
        const struct cua_overrides *overrides = &options->status.overrides;
        options->is_cc[options->gpus] = option == 'c';
        options->gpu[options->gpus++] =
            option == 'c' ? value : overrides->gpu[overrides->gpu_count - 1];
    }
    if (driver) {
        options->is_cuda[options->drivers] = option == 'C';
        options->driver[options->drivers++] = value;
    }
    return NULL;
}

static int code_of(const struct cua_code_look *look)
{
    bool unknown = look->failed;

    for (size_t i = 0; i < look->files; i++)
        for (size_t k = 0; k < look->targets; k++) {
            if (cua_code_fails(look, &look->file[i], k))
                return 1;
            unknown |= look->file[i].code.result[k].verdict == CUA_CODE_UNKNOWN;
        }
    return unknown ? CUA_EXIT_UNKNOWN : 0;
}

static int run(int argc, char **argv)
{
    static struct code_options options;
    static struct cua_code_look look = {.fail_on = 1u << CUA_CODE_35 | 1u << CUA_CODE_100 |
                                                   1u << CUA_CODE_200 | 1u << CUA_CODE_209 |
                                                   1u << CUA_CODE_222};
    int code = 0, option;

    while ((option = cua_option(&cua_verb_code, argc, argv, false, &code)) != -1) {
        const char *wrong = NULL;
        if (option == CUA_OPTION_DONE)
            return code;
        else if (option == 'l')
            look.list = look.all = true;
        else if (option == 'a')
            look.all = true;
        else if (option == 'j')
            look.json = true;
        else if (option == 'L')
            options.libcuda = optarg;
        else
            wrong = take(&look, &options, option, optarg);
        if (wrong)
            return cua_usage_value(&cua_verb_code, optarg, wrong);
    }
    if (options.libcuda && options.drivers)
        return cua_usage(&cua_verb_code, "--libcuda cannot be used with --kmd or --cuda");
    if (optind == argc)
        return cua_usage(&cua_verb_code, "name a file or a folder");
    if (!find_targets(&look, &options))
        return CUA_EXIT_USAGE;
    for (int i = optind; i < argc; i++)
        cua_code_walk(&look, argv[i]);
    cua_code_walked(&look);
    (look.json ? cua_code_json : cua_code_text)(&look);
    return code_of(&look);
}

const struct cua_verb cua_verb_code = {
    .name = "code",
    .run = run,
};
