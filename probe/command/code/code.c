/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/code.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "command/code/machine.h"
#include "command/code/needs.h"
#include "command/colour.h"
#include "command/gpu_name.h"
#include "command/jsonout.h"
#include "command/options.h"
#include "command/status/status.h"
#include "cuarbiter/names.h"
#include "rules/fate.h"

struct looked {
    char *path;
    char *lacks; /* symbols that libcuda lacks; NULL */
    struct cua_code code;
};

static struct {
    struct cua_report report;
    const struct cua_subject *place; /* of the paths */
    const struct cua_umd *driver;    /* NULL: not known, or only its CUDA is */
    struct cua_code_target target;
    struct looked *file;
    size_t files;
    bool failed; /* a path could not be looked at, or is not known */
    bool list, json, libcuda;
} look;

static const char *const results[] = {"nothing", "unknown", "209", "partial", "200", "222"};

static void complain(const char *path, const char *why)
{
    cua_complain(path, "%s", why);
    look.failed = true;
}

static void keep(const char *path, const struct cua_code *code, char *lacks)
{
    struct looked *more = realloc(look.file, (look.files + 1) * sizeof *more);
    char *copy = strdup(path);

    look.file = more ? more : look.file;
    if (more && copy) {
        more[look.files++] = (struct looked){copy, lacks, *code};
        return;
    }
    free(copy);
    free(lacks);
    complain(path, strerror(ENOMEM));
}

static void take_file(const char *path, bool named)
{
    struct cua_code code;
    char *lacks = NULL;
    int fd = cua_subject_open(look.place, path);

    if (fd < 0) {
        if (named || fd != -EINVAL)
            complain(path, strerror(-fd));
        return;
    }
    const bool known = cua_code_scan(&code, fd, path, &look.target, NULL, NULL);
    if (known && look.libcuda)
        lacks = cua_code_lacks(fd, look.driver->real);
    if (named || code.entries || code.trouble || code.compiler || lacks)
        keep(path, &code, lacks);
    if (named && !known)
        complain(path, "neither ELF nor .fatbin, .cubin or .ptx");
    look.failed |= cua_code_result(&code) == CUA_RESULT_UNKNOWN;
    close(fd);
}

/* Links are not followed: what they lead to is looked at where it lies. */
static int visit(const char *real, const struct stat *st, int type, struct FTW *ftw)
{
    const char *path = cua_subject_inside(look.place, real);

    (void)st;
    if (type == FTW_F)
        take_file(path, ftw->level == 0);
    else if (type == FTW_DNR || type == FTW_NS)
        complain(path, strerror(EACCES));
    return 0;
}

/* As cua_subject_resolve, and here also from the working folder. */
static int find_path(const char *path, char *real)
{
    if (look.place != &cua_here)
        return cua_subject_resolve(look.place, path, real);
    return realpath(path, real) ? 0 : -errno;
}

static void take_path(const char *path)
{
    char real[PATH_MAX];
    int err = find_path(path, real);

    if (!err && nftw(real, visit, 16, FTW_PHYS) != 0)
        err = -errno;
    if (err)
        complain(path, strerror(-err));
}

static int worst_first(const void *a, const void *b)
{
    const struct looked *left = a, *right = b;
    const int order = (int)cua_code_result(&right->code) - (int)cua_code_result(&left->code);

    return order ? order : strcmp(left->path, right->path);
}

static const char *dotted(unsigned tenths, char text[12])
{
    snprintf(text, 12, "%u.%u", tenths / 10, tenths % 10);
    return tenths ? text : NULL;
}

static void print_entry(void *unused, const struct cua_code_entry *entry)
{
    static const char *const kinds[] = {"unknown", "ptx", "elf", "lto"};
    static const char *const packings[] = {"none", "lz4", "zstd", "unknown"};
    const char *kind = kinds[entry->kind], *packed = packings[entry->packed];
    char sm[16], text[12];

    (void)unused;
    snprintf(sm, sizeof sm, "%u%.1s", entry->sm, &entry->suffix);
    const char *version = dotted(entry->version, text);
    if (!look.json) {
        printf("  %s sm_%s %s %s\n", kind, sm, version ? version : "-", packed);
        return;
    }
    cua_jsonout_open(NULL, '{');
    cua_jsonout_string("kind", kind);
    cua_jsonout_string("sm", sm);
    cua_jsonout_text("version", version);
    cua_jsonout_string("packed", packed);
    cua_jsonout_close('}');
}

/* The file a second time: what is kept of it has one size. */
static void print_entries(const struct looked *file)
{
    struct cua_code code;
    int fd = look.list ? cua_subject_open(look.place, file->path) : -1;

    if (fd < 0)
        return;
    if (look.json)
        cua_jsonout_open("entries", '[');
    cua_code_scan(&code, fd, file->path, &look.target, print_entry, NULL);
    if (look.json)
        cua_jsonout_close(']');
    close(fd);
}

static void print_notes(const struct looked *file)
{
    const unsigned cuda = file->code.compiler;
    char text[12], ptx[12], takes[12];
    bool sure;

    if (file->lacks)
        printf("; imports what this libcuda lacks: %s", cua_shown(file->lacks));
    if (!cuda)
        return;
    const unsigned writes = cua_code_ptx_of(cuda, &sure);
    printf("; the compiler of CUDA %s", cua_cuda_text(cuda, text));
    if (look.target.ptx && writes > look.target.ptx)
        printf(": its PTX %s ends in 222, for this driver takes %s", dotted(writes, ptx),
               dotted(look.target.ptx, takes));
}

static void print_file(const struct looked *file)
{
    static const enum cua_colour colours[] = {CUA_PLAIN,  CUA_YELLOW, CUA_PLAIN,
                                              CUA_YELLOW, CUA_RED,    CUA_RED};
    static const char *const why[] = {"", "not known", "in 209, nothing for this GPU",
                                      "in 200, packed in a way that this driver cannot unpack",
                                      "in 222, PTX that this driver is too old for"};
    const struct cua_code *code = &file->code;
    const enum cua_code_result result = cua_code_result(code);

    printf("%s%-7s%s %s: ", cua_colour(colours[result]), results[result], cua_colour(CUA_PLAIN),
           cua_shown(file->path));
    fputs(result == CUA_RESULT_NOTHING && !file->lacks ? "nothing found against it"
          : result == CUA_RESULT_NOTHING               ? "nothing found against its GPU code"
          : code->trouble                              ? code->trouble
                                                       : "not all of it serves",
          stdout);
    if (code->modules)
        printf("; of %lu modules %lu run or are compiled", code->modules,
               code->end[CUA_CODE_SERVES]);
    for (unsigned end = CUA_CODE_ENDS; end-- > CUA_CODE_UNKNOWN;)
        if (code->end[end])
            printf(", %lu %s%s", code->end[end], end == CUA_CODE_UNKNOWN ? "" : "end ", why[end]);
    print_notes(file);
    putchar('\n');
    print_entries(file);
}

static void json_file(const struct looked *file)
{
    const struct cua_code *code = &file->code;
    char text[12];

    cua_jsonout_open(NULL, '{');
    cua_jsonout_string("path", file->path);
    cua_jsonout_number("modules", (long long)code->modules);
    cua_jsonout_number("serve", (long long)code->end[CUA_CODE_SERVES]);
    cua_jsonout_open("fails", '{');
    for (unsigned end = CUA_CODE_ENDS; end-- > CUA_CODE_209;)
        if (code->end[end])
            cua_jsonout_number(results[end == CUA_CODE_209   ? CUA_RESULT_209
                                       : end == CUA_CODE_200 ? CUA_RESULT_200
                                                             : CUA_RESULT_222],
                               (long long)code->end[end]);
    cua_jsonout_close('}');
    cua_jsonout_string("verdict", results[cua_code_result(code)]);
    cua_jsonout_text("compiler", code->compiler ? cua_cuda_text(code->compiler, text) : NULL);
    cua_jsonout_text("lacks", file->lacks);
    cua_jsonout_text("trouble", code->trouble);
    print_entries(file);
    cua_jsonout_close('}');
}

static void print_json(void)
{
    const struct cua_code_target *target = &look.target;
    char text[12];

    cua_jsonout_open(NULL, '{');
    cua_jsonout_number("schema", 1);
    cua_jsonout_open("gpu", '{');
    cua_jsonout_text("cc", dotted(target->cc, text));
    cua_jsonout_close('}');
    cua_jsonout_open("driver", '{');
    cua_jsonout_text("cuda", target->cuda ? cua_cuda_text(target->cuda, text) : NULL);
    cua_jsonout_text("ptx", dotted(target->ptx, text));
    cua_jsonout_close('}');
    cua_jsonout_open("files", '[');
    for (size_t i = 0; i < look.files; i++)
        json_file(&look.file[i]);
    cua_jsonout_close(']');
    cua_jsonout_close('}');
}

/* Another libcuda here that takes all of it and does not surely fail. */
static const struct cua_umd *bundled(unsigned cuda)
{
    struct cua_fate fate;

    for (const struct cua_umd *umd = look.report.facts.umds; umd; umd = umd->hh.next) {
        cua_fate(&fate, &look.report.facts, umd, false);
        if (umd != look.driver && umd->state == CUA_UMD_USABLE && umd->cuda >= cuda &&
            fate.works != CUA_WORKS_NO)
            return umd;
    }
    return NULL;
}

static void print_help(void)
{
    unsigned needs = 0;
    bool against = false, none = false, later = false;
    char cuda[12], cc[12];

    for (size_t i = 0; i < look.files; i++) {
        const struct cua_code *code = &look.file[i].code;
        const unsigned ptx = code->ptx ? cua_code_cuda_of(code->ptx) : 0;
        against |= code->ptx || code->end[CUA_CODE_200];
        none |= cua_code_result(code) == CUA_RESULT_209;
        later |= code->ptx && !ptx;
        needs = ptx > needs ? ptx : needs;
        needs = code->end[CUA_CODE_200] && cua_code_zstd > needs ? cua_code_zstd : needs;
    }
    if (!against && none)
        printf("What would help: a build for %s\n", dotted(look.target.cc, cc));
    if (!against)
        return;
    const struct cua_umd *better = later ? NULL : bundled(needs);
    fputs("What would help: ", stdout);
    if (better)
        printf("CUARBITER_POLICY=newest, for %s takes all of it; ", cua_shown(better->path));
    printf("a driver of CUDA %s; ",
           later ? "later than is known here" : cua_cuda_text(needs, cuda));
    printf("a build with CUDA %s\n", cua_cuda_text(look.target.cuda, cuda));
}

static void print_text(void)
{
    const struct cua_code_target *target = &look.target;
    char text[12];

    printf("GPU %s, ", target->cc ? dotted(target->cc, text) : "not known (--cc)");
    if (look.driver)
        printf("%s, ", cua_shown(look.driver->path));
    printf("CUDA %s", target->cuda ? cua_cuda_text(target->cuda, text) : "not known (--cuda)");
    if (target->ptx)
        printf(", PTX up to %s%s", dotted(target->ptx, text),
               target->compiler ? " by its own compiler" : "");
    putchar('\n');
    for (size_t i = 0; i < look.files; i++)
        print_file(&look.file[i]);
    if (!look.files)
        puts("No GPU code found.");
    print_help();
}

/* NULL, or what is wrong with a value. */
static const char *wrong_value(int option, const char *value)
{
    struct cua_version kmd;

    if (option == 'c' && !cua_cc_parse(value))
        return "--cc is a compute capability like 8.9";
    if (option == 'C' && !cua_cuda_parse(value))
        return "--cuda is a CUDA version like 12.4";
    if (option == 'k' && (!value[0] || cua_version_parse(&kmd, value) != strlen(value)))
        return "--kmd is a driver version like 535.161.07";
    return NULL;
}

static int find_target(const char *const *given)
{
    const char *const gpu = given['g'] ? cua_gpu_name(given['g']) : NULL;
    const struct cua_overrides overrides = {.kmd = given['k'],
                                            .mounted = given['k'],
                                            .gpu = &gpu,
                                            .gpu_count = gpu != NULL,
                                            .cc = &given['c'],
                                            .cc_count = given['c'] != NULL};
    char real[PATH_MAX] = "";

    look.place = given['s'] ? &look.report.subject : &cua_here;
    if (given['L'] && !given['s'] && !realpath(given['L'], real)) {
        cua_complain(given['L'], "%s", strerror(errno));
        return CUA_EXIT_USAGE;
    }
    if (!cua_status_of(&look.report, &overrides, given['s'], real[0] ? real : given['L']))
        return CUA_EXIT_USAGE;
    look.driver = given['C'] ? NULL : cua_code_driver(&look.report);
    look.libcuda = given['L'] != NULL;
    if (look.libcuda && !look.driver) {
        cua_complain(given['L'], "not a usable libcuda");
        return CUA_EXIT_USAGE;
    }
    cua_code_target_of(&look.target,
                       given['c'] ? cua_cc_parse(given['c']) : cua_code_cc(&look.report.facts),
                       look.driver, &look.report.subject);
    if (given['C']) {
        look.target.cuda = cua_cuda_parse(given['C']);
        look.target.ptx = cua_code_ptx_of(look.target.cuda, &look.target.ptx_sure);
    }
    return 0;
}

static int run(int argc, char **argv)
{
    const char *given[128] = {NULL}; /* by the option's letter */
    int code = 0, option;

    while ((option = cua_option(&cua_verb_code, argc, argv, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        given[option] = optarg ? optarg : "";
        if (wrong_value(option, given[option]))
            return cua_usage_value(&cua_verb_code, optarg, wrong_value(option, optarg));
    }
    if ((given['g'] && given['c']) || !!given['k'] + !!given['C'] + !!given['L'] > 1)
        return cua_usage(&cua_verb_code,
                         "one of --gpu and --cc, and one of --kmd, --cuda and --libcuda");
    if (optind == argc)
        return cua_usage(&cua_verb_code, "name a file or a folder");
    look.list = given['l'];
    look.json = given['j'];
    code = find_target(given);
    for (int i = optind; !code && i < argc; i++)
        take_path(argv[i]);
    if (look.files)
        qsort(look.file, look.files, sizeof *look.file, worst_first);
    if (!code)
        (look.json ? print_json : print_text)();
    code = code ? code : look.failed ? CUA_EXIT_UNKNOWN : 0;
    for (size_t i = 0; i < look.files; i++) {
        if (look.file[i].code.end[CUA_CODE_222] || look.file[i].code.end[CUA_CODE_200])
            code = 1;
        free(look.file[i].path);
        free(look.file[i].lacks);
    }
    free(look.file);
    cua_report_free(&look.report);
    return code;
}

const struct cua_verb cua_verb_code = {
    .name = "code",
    .run = run,
};
