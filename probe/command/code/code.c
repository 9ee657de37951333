/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/code.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "command/code/machine.h"
#include "command/code/scan.h"
#include "command/colour.h"
#include "command/jsonout.h"
#include "command/options.h"
#include "cuarbiter/names.h"

#define DEEPEST 64

struct looked {
    char *path;
    struct cua_code code;
};

struct code_look {
    struct cua_code_machine machine;
    struct looked *file;
    size_t files;
    char path[PATH_MAX]; /* the one that is looked at */
    unsigned depth;
    bool failed; /* a path could not be looked at, or is not known */
    bool list, json;
};

static const char *const verdicts[] = {"nothing", "unknown", "209", "partial", "200", "222"};

static void complain(struct code_look *look, const char *why)
{
    cua_complain(look->path, "%s", why);
    look->failed = true;
}

static void keep(struct code_look *look, const struct cua_code *code)
{
    struct looked *more = realloc(look->file, (look->files + 1) * sizeof *more);
    char *path = strdup(look->path);

    look->file = more ? more : look->file;
    if (!more || !path) {
        free(path);
        complain(look, strerror(ENOMEM));
        return;
    }
    more[look->files++] = (struct looked){path, *code};
}

static void take_file(struct code_look *look, bool named)
{
    struct cua_code code;
    int fd = cua_subject_open(&look->machine.subject, look->path);

    if (fd < 0) {
        if (named || fd != -EINVAL)
            complain(look, strerror(-fd));
        return;
    }
    if (!cua_code_scan(&code, fd, look->path, &look->machine.target, NULL, NULL)) {
        if (named)
            complain(look, "neither ELF nor .fatbin, .cubin or .ptx");
    } else if (named || code.modules || code.entries || code.compiler) {
        keep(look, &code);
        look->failed |= cua_code_result(&code) == CUA_RESULT_UNKNOWN;
    }
    close(fd);
}

/* Links are not followed: what they lead to is looked at where it lies. */
static int take_name(void *data, const char *name, unsigned char type)
{
    struct code_look *look = data;
    const size_t length = strlen(look->path);
    const struct cua_subject *subject = &look->machine.subject;
    struct stat st;

    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return 0;
    if (!cua_join(look->path, sizeof look->path, look->path, name)) {
        look->path[length] = 0;
        complain(look, strerror(ENAMETOOLONG));
        return 0;
    }
    if (type == DT_UNKNOWN)
        type = cua_subject_readlink(subject, look->path, (char[1]){0}, 1) >= 0 ? DT_LNK
               : cua_subject_stat(subject, look->path, &st) != 0               ? DT_UNKNOWN
               : S_ISDIR(st.st_mode)                                           ? DT_DIR
                                                                               : DT_REG;
    if (type == DT_REG)
        take_file(look, false);
    if (type == DT_DIR && look->depth == DEEPEST)
        complain(look, "too many folders in one another");
    else if (type == DT_DIR) {
        look->depth++;
        int err = cua_subject_list(subject, look->path, take_name, look);
        look->depth--;
        if (err)
            complain(look, strerror(-err));
    }
    look->path[length] = 0;
    return 0;
}

static void take_path(struct code_look *look, const char *path)
{
    struct stat st;
    int err = -ENAMETOOLONG;

    if (cua_copy(look->path, sizeof look->path, path))
        err = cua_subject_stat(&look->machine.subject, path, &st);
    if (!err && S_ISDIR(st.st_mode))
        err = cua_subject_list(&look->machine.subject, path, take_name, look);
    else if (!err)
        take_file(look, true);
    if (err)
        complain(look, strerror(-err));
}

static int worst_first(const void *a, const void *b)
{
    const struct looked *left = a, *right = b;
    const int order = (int)cua_code_result(&right->code) - (int)cua_code_result(&left->code);

    return order ? order : strcmp(left->path, right->path);
}

static const char *version(unsigned tenths, char *text)
{
    snprintf(text, 12, "%u.%u", tenths / 10, tenths % 10);
    return text;
}

static void print_entry(void *json, const struct cua_code_entry *entry)
{
    static const char *const kinds[] = {"unknown", "ptx", "elf"};
    static const char *const packings[] = {"none", "lz4", "zstd", "unknown"};
    const char *kind = kinds[entry->kind], *packed = packings[entry->packed];
    char sm[16], ptx[12];

    snprintf(sm, sizeof sm, "%u%.1s", entry->sm, (const char[2]){entry->suffix});
    version(entry->version, ptx);
    if (!*(bool *)json) {
        printf("  %s sm_%s%s%s%s%s\n", kind, sm, entry->version ? " " : "",
               entry->version ? ptx : "", entry->packed ? " " : "", entry->packed ? packed : "");
        return;
    }
    cua_jsonout_open(NULL, '{');
    cua_jsonout_string("kind", kind);
    cua_jsonout_string("sm", sm);
    if (entry->kind == CUA_CODE_PTX)
        cua_jsonout_string("version", ptx);
    cua_jsonout_string("packed", packed);
    cua_jsonout_close('}');
}

/* A second time, for what is kept of a file has one size. */
static void print_entries(struct code_look *look, const struct looked *file)
{
    struct cua_code code;
    int fd = cua_subject_open(&look->machine.subject, file->path);

    if (look->json)
        cua_jsonout_open("entries", '[');
    if (fd >= 0)
        cua_code_scan(&code, fd, file->path, &look->machine.target, print_entry, &look->json);
    if (look->json)
        cua_jsonout_close(']');
    if (fd >= 0)
        close(fd);
}

static void print_compiler(const struct cua_code *code, const struct cua_code_target *target)
{
    char cuda[12], text[12], takes[12];
    bool sure;
    unsigned ptx = cua_code_ptx_of(code->compiler, &sure);

    printf("; the compiler of CUDA %s, writes PTX up to %s", cua_cuda_text(code->compiler, cuda),
           version(ptx, text));
    if (target->ptx && ptx > target->ptx)
        printf(": 222 where a program hands that to this driver, which takes %s",
               version(target->ptx, takes));
}

static void print_file(struct code_look *look, const struct looked *file)
{
    static const enum cua_colour colours[] = {CUA_PLAIN,  CUA_YELLOW, CUA_YELLOW,
                                              CUA_YELLOW, CUA_RED,    CUA_RED};
    const enum cua_code_result verdict = cua_code_result(&file->code);
    char words[CUA_CODE_WORDS];

    printf("%s%-7s%s %s: %s", cua_colour(colours[verdict]), verdicts[verdict],
           cua_colour(CUA_PLAIN), cua_shown(file->path),
           cua_code_words(&file->code, &look->machine.target, words));
    if (file->code.compiler)
        print_compiler(&file->code, &look->machine.target);
    putchar('\n');
    if (look->list)
        print_entries(look, file);
}

static void json_file(struct code_look *look, const struct looked *file)
{
    static const struct {
        enum cua_code_end end;
        const char *name;
    } fails[] = {{CUA_CODE_222, "222"}, {CUA_CODE_200, "200"}, {CUA_CODE_209, "209"}};
    const struct cua_code *code = &file->code;
    char cuda[12];

    cua_jsonout_open(NULL, '{');
    cua_jsonout_string("path", file->path);
    cua_jsonout_number("modules", (long long)code->modules);
    cua_jsonout_number("serve", (long long)code->end[CUA_CODE_SERVES]);
    cua_jsonout_open("fails", '{');
    for (size_t i = 0; i < sizeof fails / sizeof *fails; i++)
        if (code->end[fails[i].end])
            cua_jsonout_number(fails[i].name, (long long)code->end[fails[i].end]);
    cua_jsonout_close('}');
    cua_jsonout_string("verdict", verdicts[cua_code_result(code)]);
    if (code->compiler)
        cua_jsonout_string("compiler", cua_cuda_text(code->compiler, cuda));
    if (code->trouble)
        cua_jsonout_string("trouble", code->trouble);
    if (look->list)
        print_entries(look, file);
    cua_jsonout_close('}');
}

static void print_json(struct code_look *look)
{
    const struct cua_code_target *target = &look->machine.target;
    char cc[12], cuda[12], ptx[12];

    cua_jsonout_open(NULL, '{');
    cua_jsonout_number("schema", 1);
    cua_jsonout_open("gpu", '{');
    cua_jsonout_text("cc", target->cc ? version(target->cc, cc) : NULL);
    cua_jsonout_close('}');
    cua_jsonout_open("driver", '{');
    cua_jsonout_text("cuda", target->cuda ? cua_cuda_text(target->cuda, cuda) : NULL);
    cua_jsonout_text("ptx", target->ptx ? version(target->ptx, ptx) : NULL);
    cua_jsonout_close('}');
    cua_jsonout_open("files", '[');
    for (size_t i = 0; i < look->files; i++)
        json_file(look, &look->file[i]);
    cua_jsonout_close(']');
    cua_jsonout_close('}');
}

static void print_target(const struct code_look *look)
{
    const struct cua_code_target *target = &look->machine.target;
    const struct cua_umd *driver = look->machine.driver;
    char text[12];

    printf("GPU %s; ", target->cc ? version(target->cc, text) : "not known (--cc names one)");
    if (driver)
        printf("%s %s, ", cua_shown(driver->path), driver->version.text);
    if (!target->cuda) {
        puts("driver not known (--cuda names one)");
        return;
    }
    printf("CUDA %s, ", cua_cuda_text(target->cuda, text));
    printf("PTX up to %s%s\n", version(target->ptx, text),
           target->compiler   ? ", by its own compiler"
           : target->ptx_sure ? ""
                              : " or later");
}

/* Which driver, or which build, would take what this one does not. */
static void print_help(const struct code_look *look)
{
    const struct cua_code_machine *machine = &look->machine;
    const struct cua_data *data = machine->report.facts.data;
    unsigned needs = 0;
    bool against = false, none = false, later = false;
    char cuda[12], cc[12];

    for (size_t i = 0; i < look->files; i++) {
        const struct cua_code *code = &look->file[i].code;
        const bool bad = code->end[CUA_CODE_222] || code->end[CUA_CODE_200];
        const unsigned mine = bad ? cua_code_needs(code) : 0;
        against |= bad;
        later |= bad && !mine;
        needs = mine > needs ? mine : needs;
        none |= cua_code_result(code) == CUA_RESULT_209;
    }
    if (!against && none)
        printf("What would help: a build for %s (nvcc -arch=sm_%u)\n",
               version(machine->target.cc, cc), machine->target.cc);
    if (!against)
        return;
    const struct cua_umd *better = later ? NULL : cua_code_better(machine, needs);
    const struct cua_row_toolkit *row = later ? NULL : cua_data_toolkit(data, needs);
    fputs("What would help: ", stdout);
    if (better)
        printf("%s, CUDA %s, which takes all of it; ", cua_shown(better->path),
               cua_cuda_text(better->cuda, cuda));
    printf("a driver of CUDA %s",
           later ? "later than the data here know" : cua_cuda_text(needs, cuda));
    if (row && row->cuda == needs)
        printf(" (%s)", row->released.text);
    printf("%s; a build with CUDA %s\n", later ? "" : " or later",
           cua_cuda_text(machine->target.cuda, cuda));
}

static const char *take(struct code_look *look, struct cua_code_request *request, int option,
                        const char *value)
{
    struct cua_version kmd;

    switch (option) {
    case 'g':
        request->gpu = value;
        return request->cc ? "--gpu or --cc, not both" : NULL;
    case 'c':
        request->cc = value;
        return request->gpu          ? "--gpu or --cc, not both"
               : cua_cc_parse(value) ? NULL
                                     : "--cc is a compute capability like 8.9";
    case 'k':
        request->kmd = value;
        return value[0] && cua_version_parse(&kmd, value) == strlen(value)
                   ? NULL
                   : "--kmd is a driver version like 535.161.07";
    case 'C':
        request->cuda = value;
        return cua_cuda_parse(value) ? NULL : "--cuda is a CUDA version like 12.4";
    case 'L':
        request->libcuda = value;
        return NULL;
    case 's':
        request->sysroot = value;
        return NULL;
    default:
        look->list |= option == 'l';
        look->json |= option == 'j';
        return NULL;
    }
}

static int exit_code(const struct code_look *look)
{
    for (size_t i = 0; i < look->files; i++)
        if (look->file[i].code.end[CUA_CODE_222] || look->file[i].code.end[CUA_CODE_200])
            return 1;
    return look->failed ? CUA_EXIT_UNKNOWN : 0;
}

static int run(int argc, char **argv)
{
    static struct code_look look;
    struct cua_code_request request = {0};
    int code = 0, option;

    while ((option = cua_option(&cua_verb_code, argc, argv, false, &code)) != -1) {
        const char *wrong =
            option == CUA_OPTION_DONE ? NULL : take(&look, &request, option, optarg);
        if (option == CUA_OPTION_DONE)
            return code;
        if (wrong)
            return cua_usage_value(&cua_verb_code, optarg, wrong);
    }
    if (!!request.kmd + !!request.cuda + !!request.libcuda > 1)
        return cua_usage(&cua_verb_code, "--kmd, --cuda or --libcuda, one of them");
    if (optind == argc)
        return cua_usage(&cua_verb_code, "name a file or a folder");
    code = cua_code_machine(&look.machine, &request);
    if (code)
        goto out;
    for (int i = optind; i < argc; i++)
        take_path(&look, argv[i]);
    if (look.files)
        qsort(look.file, look.files, sizeof *look.file, worst_first);
    if (look.json) {
        print_json(&look);
    } else {
        print_target(&look);
        for (size_t i = 0; i < look.files; i++)
            print_file(&look, &look.file[i]);
        if (!look.files)
            puts("no GPU code found");
        print_help(&look);
    }
    code = exit_code(&look);
out:
    for (size_t i = 0; i < look.files; i++)
        free(look.file[i].path);
    free(look.file);
    cua_report_free(&look.machine.report);
    return code;
}

const struct cua_verb cua_verb_code = {
    .name = "code",
    .run = run,
};
