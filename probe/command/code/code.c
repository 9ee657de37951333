/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/code.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/version.h"
#include "command/code/scan.h"
#include "command/colour.h"
#include "command/fact_words.h"
#include "command/jsonout.h"
#include "command/status/status.h"
#include "cuarbiter/names.h"
#include "elf/imports.h"
#include "loader/loadable.h"

static const struct {
    const char *word, *why;
    enum cua_colour colour;
} ends[CUA_CODE_ENDS] = {
    [CUA_CODE_SERVES] = {"nothing", "", CUA_PLAIN},
    [CUA_CODE_UNKNOWN] = {"unknown", "not known", CUA_YELLOW},
    [CUA_CODE_209] = {"209", "end in 209, nothing for this GPU", CUA_PLAIN},
    [CUA_CODE_PARTIAL] = {"partial", "", CUA_YELLOW},
    [CUA_CODE_200] = {"200", "end in 200, packed in a way that this driver cannot unpack", CUA_RED},
    [CUA_CODE_222] = {"222", "end in 222, PTX that this driver is too old for", CUA_RED},
};

static struct {
    struct cua_report report;
    const struct cua_subject *place; /* of the paths */
    const struct cua_umd *driver;    /* NULL: not known, or only its CUDA is */
    struct cua_code_target target;
    unsigned ptx;           /* the newest that it takes */
    struct cua_elf libcuda; /* of --libcuda */
    struct cua_code *file;
    size_t files;
    unsigned needs; /* the greatest of all files */
    bool failed;    /* a path could not be looked at, or is not known */
    bool list, json;
} look;

static void complain(const char *path, int error)
{
    cua_complain(path, "%s", strerror(error));
    look.failed = true;
}

static void on_import(void *data, const char *name)
{
    struct cua_code *code = data;

    if (cua_loadable_lacks(&look.libcuda, name) &&
        (!code->lacks[0] || cua_append(code->lacks, sizeof code->lacks, ", ")))
        cua_append(code->lacks, sizeof code->lacks, name);
}

/* By the relocations that ld.so works through, weak ones left out, as loader/loadable.c asks for
 * what is about to be loaded. */
static void find_lacks(struct cua_code *code)
{
    struct cua_elf elf;
    char name[64];

    if (cua_elf_open(&elf, cua_subject_open(look.place, code->path), NULL,
                     look.libcuda.header.e_machine) != CUA_ELF_FINE)
        return;
    if (cua_elf_needs(&elf, "libcuda.so", name, sizeof name))
        cua_elf_imports(&elf, true, on_import, code);
    cua_elf_close(&elf);
}

/* Links are not followed: what they lead to is looked at where it lies. Of a folder's files only
 * those that there is something to say of are kept. */
static int visit(const char *real, const struct stat *st, int type, struct FTW *ftw)
{
    const char *path = cua_subject_inside(look.place, real);
    struct cua_code code = {.path = path, .target = &look.target, .named = ftw->level == 0}, *files;
    int fd = -EACCES;

    (void)st;
    if (type == FTW_D || (type == FTW_SL && !code.named))
        return 0;
    if (type != FTW_DNR && type != FTW_NS)
        fd = cua_subject_open(look.place, path);
    if (fd < 0 && (code.named || fd != -EINVAL))
        complain(path, -fd);
    if (fd < 0)
        return 0;
    cua_code_scan(&code, fd);
    if (look.libcuda.segments)
        find_lacks(&code);
    if (!code.named && !code.entries && !code.trouble && !code.compiler && !code.lacks[0])
        return 0;
    look.needs = code.needs > look.needs ? code.needs : look.needs;
    look.failed |= code.result == CUA_CODE_UNKNOWN;
    files = realloc(look.file, (look.files + 1) * sizeof code);
    look.file = files ? files : look.file;
    code.path = files ? strdup(path) : NULL;
    if (!code.path)
        return -1;
    files[look.files++] = code;
    return 0;
}

static void take_path(const char *path)
{
    char real[PATH_MAX];
    const int error = cua_subject_resolve(look.place, path, real);

    if (error || nftw(real, visit, 16, FTW_PHYS) != 0)
        complain(path, error ? -error : errno);
}

static int worst_first(const void *a, const void *b)
{
    const struct cua_code *left = a, *right = b;
    const int order = (int)right->result - (int)left->result;

    return order ? order : strcmp(left->path, right->path);
}

static void print_entry(const struct cua_code_entry *entry)
{
    static const char *const kinds[] = {"unknown", "ptx", "elf", [CUA_CODE_LTO] = "lto"};
    const char *kind = kinds[entry->kind], *packed = entry->packed->name;
    const char *version = cua_dotted(entry->version);
    char sm[16];

    snprintf(sm, sizeof sm, "%u%s", entry->sm, entry->suffix);
    if (look.json)
        cua_jsonout_texts(NULL, "kind", kind, "sm", sm, "version", version, "packed", packed, NULL);
    else
        printf("  %s sm_%s %s %s\n", kind, sm, version ? version : "-", packed);
}

/* The file a second time: what is kept of it has one size. */
static void print_entries(const char *path)
{
    struct cua_code code = {.path = path, .target = &look.target, .each = print_entry};

    if (look.list)
        cua_code_scan(&code, cua_subject_open(look.place, path));
}

static void text_file(const struct cua_code *code)
{
    const unsigned writes = cua_code_ptx_of(code->compiler)->ptx;
    const char *finding = code->trouble                       ? code->trouble
                          : code->result != CUA_CODE_SERVES   ? "not all of it serves"
                          : !code->entries && !code->compiler ? "there is no GPU code in it"
                          : code->lacks[0]                    ? "nothing found against its GPU code"
                                                              : "nothing found against it";

    printf("%s%-7s%s %s: %s", cua_colour(ends[code->result].colour), ends[code->result].word,
           cua_colour(CUA_PLAIN), cua_shown(code->path), finding);
    if (code->modules)
        printf("; of %lu modules %lu run or are compiled", code->modules,
               code->end[CUA_CODE_SERVES]);
    for (unsigned end = CUA_CODE_ENDS; --end > CUA_CODE_SERVES;)
        if (code->end[end])
            printf(", %lu %s", code->end[end], ends[end].why);
    if (code->lacks[0])
        printf("; imports what this libcuda lacks: %s", cua_shown(code->lacks));
    if (code->compiler)
        printf("; the compiler of CUDA %s", cua_dotted(code->compiler));
    if (look.ptx && writes > look.ptx)
        printf(": its PTX %s ends in 222, for this driver takes %s", cua_dotted(writes),
               cua_dotted(look.ptx));
    putchar('\n');
    print_entries(code->path);
}

static void print_help(void)
{
    const struct cua_umd *newest = cua_report_newest(&look.report);
    const struct cua_data *data = look.report.facts.data;
    const unsigned cuda = look.target.cuda, needs = look.needs;
    size_t i = 0;

    if (!needs && look.files && look.file[0].result == CUA_CODE_209)
        printf("What would help: a build for compute capability %s\n", cua_dotted(look.target.cc));
    if (!needs)
        return;
    fputs("What would help: ", stdout);
    if (newest && newest->cuda >= needs)
        printf("CUARBITER_POLICY=newest, for %s takes all of it; ", cua_shown(newest->path));
    while (i < data->umds && data->umd[i].cuda < needs)
        i++;
    if (i < data->umds)
        printf("a driver of CUDA %s (%u or later); ", cua_dotted(needs), data->umd[i].branch);
    else
        fputs("a driver of a CUDA later than is known here; ", stdout);
    printf("a build with CUDA %s\n", cuda ? cua_dotted(cuda) : "that the driver has");
}

static void print_text(void)
{
    const char *gpu = cua_dotted(look.target.cc), *cuda = cua_dotted(look.target.cuda);

    printf("GPU %s, ", gpu ? gpu : "not known (name one by --gpu or --cc)");
    if (look.driver)
        printf("%s, ", cua_shown(look.driver->path));
    printf("CUDA %s", cuda ? cuda : "not known (name a driver by --kmd, --cuda or --libcuda)");
    if (look.ptx)
        printf(", PTX up to %s%s", cua_dotted(look.ptx),
               look.target.own ? " by its own compiler" : "");
    putchar('\n');
    for (size_t i = 0; i < look.files; i++)
        text_file(&look.file[i]);
    if (!look.files)
        puts("No GPU code found.");
    print_help();
}

static void json_file(const struct cua_code *code)
{
    cua_jsonout_open(NULL, '{');
    cua_jsonout_string("path", code->path);
    cua_jsonout_number("modules", (long long)code->modules);
    cua_jsonout_number("serve", (long long)code->end[CUA_CODE_SERVES]);
    cua_jsonout_open("fails", '{');
    for (unsigned end = CUA_CODE_ENDS; --end > CUA_CODE_UNKNOWN;)
        if (code->end[end])
            cua_jsonout_number(ends[end].word, (long long)code->end[end]);
    cua_jsonout_close('}');
    cua_jsonout_string("verdict", ends[code->result].word);
    cua_jsonout_text("compiler", cua_dotted(code->compiler));
    cua_jsonout_text("lacks", code->lacks);
    cua_jsonout_text("trouble", code->trouble);
    if (look.list) {
        cua_jsonout_open("entries", '[');
        print_entries(code->path);
        cua_jsonout_close(']');
    }
    cua_jsonout_close('}');
}

static void print_json(void)
{
    cua_jsonout_open(NULL, '{');
    cua_jsonout_number("schema", 1);
    cua_jsonout_texts("gpu", "cc", cua_dotted(look.target.cc), NULL);
    cua_jsonout_texts("driver", "cuda", cua_dotted(look.target.cuda), "ptx", cua_dotted(look.ptx),
                      NULL);
    cua_jsonout_open("files", '[');
    for (size_t i = 0; i < look.files; i++)
        json_file(&look.file[i]);
    cua_jsonout_close(']');
    cua_jsonout_close('}');
}

/* False after a complaint. */
static bool find_target(const struct cua_status_options *options, const char *cuda,
                        const char *libcuda)
{
    const struct cua_verdict *verdict = &look.report.verdict;

    if (!cua_status_of(&look.report, options, libcuda))
        return false;
    look.place = options->sysroot ? &look.report.subject : &cua_here;
    look.driver = verdict->chosen ? verdict->chosen : look.report.facts.loader;
    if (cuda || (look.driver && look.driver->state != CUA_UMD_USABLE))
        look.driver = NULL;
    if (libcuda && (!look.driver || !(look.driver->found & CUA_FOUND_NAMED) ||
                    cua_elf_open(&look.libcuda, cua_real_open(look.place, look.driver->real), NULL,
                                 EM_NONE) != CUA_ELF_FINE)) {
        cua_complain(libcuda, "not a usable libcuda");
        return false;
    }
    cua_code_target_of(&look.target, &look.report, look.driver);
    if (options->cc[0])
        look.target.cc = cua_cc_parse(options->cc[0]);
    if (cuda)
        look.target.cuda = look.target.compiler = cua_cuda_parse(cuda);
    look.ptx = cua_code_ptx_of(look.target.compiler)->ptx;
    return true;
}

static int run(int argc, char **argv)
{
    static struct cua_status_options options;
    const char *cuda = NULL, *libcuda = NULL;
    int code = 0, option;

    while ((option = cua_option(&cua_verb_code, argc, argv, false, &code)) != -1) {
        const char *wrong = NULL;
        if (option == CUA_OPTION_DONE)
            return code;
        else if (option == 'l')
            look.list = true;
        else if (option == 'j')
            look.json = true;
        else if (option == 'L')
            libcuda = optarg;
        else if (option == 'C')
            wrong = cua_cuda_parse(cuda = optarg) ? NULL : "--cuda is a CUDA version like 12.4";
        else
            wrong = cua_status_take(&options, option, optarg);
        if (wrong)
            return cua_usage_value(&cua_verb_code, optarg, wrong);
    }
    if ((options.gpu[0] && options.cc[0]) || !!options.overrides.kmd + !!cuda + !!libcuda > 1)
        return cua_usage(&cua_verb_code,
                         "one of --gpu and --cc, and one of --kmd, --cuda and --libcuda");
    if (optind == argc)
        return cua_usage(&cua_verb_code, "name a file or a folder");
    if (!find_target(&options, cuda, libcuda))
        return CUA_EXIT_USAGE;
    for (int i = optind; i < argc; i++)
        take_path(argv[i]);
    if (look.files)
        qsort(look.file, look.files, sizeof *look.file, worst_first);
    (look.json ? print_json : print_text)();
    return look.needs ? 1 : look.failed ? CUA_EXIT_UNKNOWN : 0;
}

const struct cua_verb cua_verb_code = {
    .name = "code",
    .run = run,
};
