/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/report.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/colour.h"
#include "cli/jsonout.h"
#include "cli/verb.h"
#include "command/code/bring.h"
#include "command/code/judge.h"
#include "command/code/runtime.h"
#include "command/code/tree.h"
#include "command/cuda_error.h"
#include "command/fact_words.h"
#include "command/gpu_support.h"

static const struct {
    const char *word, *why;
    enum cua_colour colour;
    int number;
} ends[CUA_CODE_ENDS + 1] = {
    [CUA_CODE_SERVES] = {"ok?", "", CUA_PLAIN, 0},
    [CUA_CODE_UNKNOWN] = {"unknown", "not known", CUA_YELLOW, 0},
    [CUA_CODE_209] = {"209", "have no code for this GPU (209)", CUA_YELLOW, 209},
    [CUA_CODE_200] = {"200", "fail with 200, because this driver cannot unpack them", CUA_RED, 200},
    [CUA_CODE_222] = {"222", "fail with 222, because their PTX is too new for this driver", CUA_RED,
                      222},
    [CUA_CODE_PART] = {"part", "", CUA_RED, 0},
    [CUA_CODE_100] = {"100", "", CUA_RED, 100},
    [CUA_CODE_35] = {"35", "", CUA_RED, 35},
};

static const struct cua_code_look *shown;

const char *cua_code_word(enum cua_code_end end)
{
    return ends[end].word;
}

int cua_code_number(enum cua_code_end end)
{
    return ends[end].number;
}

static void print_entry(const struct cua_code_entry *entry)
{
    static const char *const kinds[] = {"unknown", "ptx", "elf", [CUA_CODE_LTO] = "lto"};
    const char *kind = kinds[entry->kind], *packed = entry->packed->name;
    const char *version = cua_dotted(entry->version);
    char sm[16];

    snprintf(sm, sizeof sm, "%u%s", entry->sm, entry->suffix);
    if (shown->json)
        cua_jsonout_texts(NULL, "kind", kind, "sm", sm, "version", version, "packed", packed, NULL);
    else
        printf("  %s sm_%s %s %s\n", kind, sm, version ? version : "-", packed);
}

static void print_entries(const struct cua_code *code)
{
    for (unsigned long i = 0; i < code->entries && i < code->room; i++)
        print_entry(&code->list[i]);
}

/* Describes in half a sentence why the file as a whole has its result for this target. */
static void describe(char *text, size_t size, const struct cua_code *code, size_t target)
{
    const struct cua_code_result *result = &code->result[target];

    if (result->verdict == CUA_CODE_35)
        snprintf(text, size, "needs a driver with CUDA %s or later (%s)", cua_dotted(code->runtime),
                 cua_shown(code->runtime_by));
    else if (result->verdict == CUA_CODE_100)
        snprintf(text, size, "%s", code->targets[target].refused);
    else if (code->trouble)
        snprintf(text, size, "%s", code->trouble);
    else if (result->verdict == CUA_CODE_UNKNOWN && result->linked)
        snprintf(text, size,
                 "it was device-linked for other GPUs, and it is not known whether the driver can "
                 "link it again from its PTX");
    else if (result->verdict == CUA_CODE_UNKNOWN)
        snprintf(text, size, "it is not known whether all of its GPU code can run");
    else if (result->verdict != CUA_CODE_SERVES)
        snprintf(text, size, "some of its GPU code cannot run");
    else if (!code->entries && !code->compiler)
        snprintf(text, size, "there is no GPU code in it");
    else
        snprintf(text, size, "no problem found in %s", code->lacks[0] ? "its GPU code" : "it");
}

/* Whether the file has a compiler, and the driver of the first target certainly rejects the newest
 * PTX version that this compiler writes. */
static bool is_ahead(const struct cua_code *code)
{
    const unsigned compiler = shown->target->compiler, takes = cua_code_ptx_of(compiler)->ptx;

    return code->writes_ptx && takes && cua_code_ptx_of(code->compiler)->ptx > takes &&
           !cua_code_ptx_later(compiler);
}

static void text_compiler(const struct cua_code *code)
{
    bool writes_ptx;

    printf("%s of CUDA %s",
           cua_code_is_compiler(cua_basename(code->path), &writes_ptx) ? "it is a compiler"
                                                                       : "it contains a compiler",
           cua_dotted(code->compiler));
    if (is_ahead(code))
        printf(": PTX that a program makes with it is of version %s and fails with 222, because "
               "this driver takes PTX up to %s",
               cua_dotted(cua_code_ptx_of(code->compiler)->ptx),
               cua_dotted(cua_code_ptx_of(shown->target->compiler)->ptx));
    else if (!code->writes_ptx)
        fputs(", which makes binaries, not PTX", stdout);
}

static void print_word(enum cua_code_end end)
{
    printf("%s%-7s%s ", cua_colour(ends[end].colour), ends[end].word, cua_colour(CUA_PLAIN));
}

static void text_file(const struct cua_code *code)
{
    const struct cua_code_result *result = code->result;
    char text[256];

    describe(text, sizeof text, code, 0);
    print_word(result->verdict);
    printf("%s: %s", cua_shown(code->path), text);
    if (code->modules)
        printf("; of %lu code modules %lu can run", code->modules, result->end[CUA_CODE_SERVES]);
    for (unsigned end = CUA_CODE_ENDS; --end > CUA_CODE_SERVES;)
        if (result->end[end])
            printf(", %lu %s", result->end[end], ends[end].why);
    if (code->registers && !code->runtime)
        fputs("; the CUDA version of its runtime is not known", stdout);
    if (code->lacks[0])
        printf("; it needs functions that this libcuda lacks: %s", cua_shown(code->lacks));
    if (code->compiler) {
        fputs("; ", stdout);
        text_compiler(code);
    }
    putchar('\n');
    print_entries(code);
}

/* Summary of a group's files for one target. `worst` leaves out spare files. */
struct sum {
    size_t files, ended[CUA_CODE_ENDS];
    unsigned long modules, served;
    enum cua_code_end worst;
    const struct cua_code *worst_file; /* NULL: the group has no files */
};

static void sum_up(struct sum *sum, const struct cua_code_file *file, size_t files, size_t target)
{
    memset(sum, 0, sizeof *sum);
    sum->files = files;
    for (size_t i = 0; i < files; i++) {
        const struct cua_code_result *result = &file[i].code.result[target];
        sum->ended[result->verdict]++;
        sum->modules += file[i].code.modules;
        sum->served += result->end[CUA_CODE_SERVES];
        if (!sum->worst_file || (result->verdict > sum->worst && !result->spare)) {
            sum->worst_file = &file[i].code;
            sum->worst = result->spare ? CUA_CODE_SERVES : result->verdict;
        }
    }
}

static void text_group(const struct cua_code_file *file, size_t files)
{
    struct sum sum;
    char text[256];

    sum_up(&sum, file, files, 0);
    print_word(sum.worst);
    printf("%s: ", cua_shown(file->group));
    for (unsigned end = CUA_CODE_ENDS; --end > CUA_CODE_SERVES;)
        if (sum.ended[end])
            printf("%zu of %zu files get %s, ", sum.ended[end], files, ends[end].word);
    if (sum.worst == CUA_CODE_SERVES)
        fputs(sum.ended[CUA_CODE_SERVES] < files ? "but other files can run instead, "
                                                 : "no problem found, ",
              stdout);
    if (sum.modules)
        printf("of %lu code modules %lu can run", sum.modules, sum.served);
    else
        fputs("no GPU code was found in its files", stdout);
    if (sum.worst > CUA_CODE_SERVES) {
        describe(text, sizeof text, sum.worst_file, 0);
        printf("; %s: %s", cua_shown(cua_basename(sum.worst_file->path)), text);
    }
    for (size_t i = 0; i < files; i++)
        if (file[i].code.compiler && is_ahead(&file[i].code)) {
            printf("; %s: ", cua_shown(cua_basename(file[i].code.path)));
            text_compiler(&file[i].code);
            break;
        }
    putchar('\n');
}

/* For each error among the results, prints its name and message, as programs print them. Also
 * explains "ok?". */
static void text_errors(void)
{
    bool ended[CUA_CODE_ENDS] = {false};
    bool fine = false;

    for (size_t i = 0; i < shown->files; i++)
        for (size_t k = 0; k < shown->targets; k++) {
            const struct cua_code_result *result = &shown->file[i].code.result[k];
            ended[result->verdict] = true;
            fine |= result->verdict == CUA_CODE_SERVES;
            for (unsigned end = CUA_CODE_209; end < CUA_CODE_PART; end++)
                ended[end] |= result->verdict == CUA_CODE_PART && result->end[end];
        }
    for (unsigned end = CUA_CODE_ENDS; end-- > 0;) {
        const struct cua_cuda_error *error =
            ended[end] && ends[end].number ? cua_cuda_error_find(ends[end].number) : NULL;
        if (error)
            printf("%d is %s: %s\n", error->code, error->runtime, error->message);
    }
    if (fine)
        puts("ok? is no promise: it is not known which of this code a program uses, or what it "
             "compiles while it runs.");
}

static unsigned most_needed(void)
{
    unsigned needs = 0;

    for (size_t i = 0; i < shown->files; i++) {
        const struct cua_code *code = &shown->file[i].code;
        if (code->result->spare)
            continue;
        needs = code->result->needs > needs ? code->result->needs : needs;
        if (shown->target->refused[0] && code->runtime > needs)
            needs = code->runtime;
    }
    return needs;
}

/* If a file's result is 35, prints a driver that `cuarbiter driver add` has added before. If there
 * is none, prints a driver that it could add, or why it could add none. */
static void print_bring(void)
{
    static struct cua_suit suit;
    const struct cua_umd *here;

    if (!cua_code_bring(shown, &suit, &here))
        return;
    if (here)
        printf(
            "%s was added: a program gets that driver, after a trial, if no other driver here runs "
            "the program\n",
            here->version.text);
    else if (suit.package)
        printf("Or add a driver: cuarbiter driver add %s; %s\n", suit.package->version.text,
               cua_shown(suit.why));
    else
        printf("No driver to add: %s\n", cua_shown(suit.why));
}

static void json_bring(void)
{
    static struct cua_suit suit;
    const struct cua_umd *here;

    if (!cua_code_bring(shown, &suit, &here)) {
        cua_jsonout_null("bring");
        return;
    }
    cua_jsonout_texts("bring", "version", here || !suit.package ? NULL : suit.package->version.text,
                      "brought", here ? here->version.text : NULL, "why", here ? NULL : suit.why,
                      NULL);
}

/* Prints what would let the failing files work. Only for a run with one target. */
static void print_help(void)
{
    const struct cua_umd *newest = cua_report_newest(&shown->report);
    const struct cua_data *data = shown->report.facts.data;
    const bool refused = shown->target->refused[0];
    const unsigned cuda = shown->target->cuda, needs = most_needed(), cc = shown->target->cc;
    const struct cua_row_umd *last, *driver = cua_gpu_driver(data, needs, cc, &last);
    bool missing = false;

    for (size_t i = 0; i < shown->files; i++) {
        const struct cua_code_result *result = shown->file[i].code.result;
        missing |=
            !result->spare && (result->verdict == CUA_CODE_209 ||
                               (result->verdict == CUA_CODE_PART && cua_code_missing(result)));
    }
    if (!needs && !refused && missing)
        printf("What would help: a build for compute capability %s\n", cua_dotted(cc));
    if (!needs && !refused)
        return;
    fputs("What would help: ", stdout);
    if (shown->machine && newest && newest->cuda >= needs && !refused)
        printf("CUARBITER_POLICY=newest, because %s has CUDA %s; ", cua_shown(newest->path),
               cua_dotted(newest->cuda));
    if (driver && last)
        printf("a driver with CUDA %s (branches %u to %u)", cua_dotted(driver->cuda),
               driver->branch, last->branch);
    else if (driver)
        printf("a driver with CUDA %s (branch %u or later)", cua_dotted(driver->cuda),
               driver->branch);
    else if (!needs)
        fputs("no driver, because none that cuarbiter knows supports this GPU", stdout);
    else if (cua_gpu_driver(data, needs, 0, &last))
        printf("no driver, because none with CUDA %s or later supports this GPU",
               cua_dotted(needs));
    else
        fputs("a driver with a later CUDA version than this cuarbiter knows", stdout);
    if (needs > cuda && !refused)
        printf("; a build with %s%s", cuda ? "CUDA " : "the driver's CUDA version",
               cuda ? cua_dotted(cuda) : "");
    putchar('\n');
    print_bring();
}

static void text_target(void)
{
    const struct cua_code_target *target = shown->target;
    const char *gpu = cua_dotted(target->cc), *cuda = cua_dotted(target->cuda);
    const unsigned ptx = cua_code_ptx_of(target->compiler)->ptx;

    printf("GPU %s, ", gpu ? gpu : "not known (name one by --gpu or --cc)");
    if (shown->driver)
        printf("%s, ", cua_shown(shown->driver->path));
    printf("CUDA %s", cuda ? cuda : "not known (name a driver by --kmd, --cuda or --libcuda)");
    if (cua_code_ptx_later(target->compiler))
        printf(", newer than cuarbiter's table of PTX versions, which ends with %s",
               cua_dotted(ptx));
    else if (ptx)
        printf(", PTX up to %s%s", cua_dotted(ptx),
               target->own ? " by the PTX compiler beside it" : "");
    putchar('\n');
    if (target->refused[0])
        printf("Every program fails with error 100 (no GPU): %s.\n", target->refused);
}

static void table_row(const struct cua_code_file *file, size_t files, const char *name)
{
    struct sum sum;

    for (size_t k = 0; k < shown->targets; k++) {
        sum_up(&sum, file, files, k);
        printf("%s%-9s%s", cua_colour(ends[sum.worst].colour), ends[sum.worst].word,
               cua_colour(CUA_PLAIN));
    }
    puts(cua_shown(name));
}

/* Prints a table with a row for each group (with --all, also for each file) and a column for each
 * pair of a GPU and a driver. The columns have letters, which the lines above the table explain. */
static void text_table(void)
{
    for (size_t k = 0; k < shown->targets; k++) {
        const struct cua_code_target *target = &shown->target[k];
        const char *cc = cua_dotted(target->cc);
        printf("%c  %s", (char)('A' + k % 26), target->gpu[0] ? target->gpu : "GPU");
        printf(" (%s), %s\n", cc ? cc : "not known",
               target->driver[0] ? target->driver : "this driver");
    }
    for (size_t k = 0; k < shown->targets; k++)
        printf("%-9c", (char)('A' + k % 26));
    putchar('\n');
    for (size_t i = 0, files; i < shown->files; i += files) {
        files = cua_code_group(shown, i);
        if (files > 1 || !shown->all)
            table_row(&shown->file[i], files,
                      files > 1 ? shown->file[i].group : shown->file[i].code.path);
        for (size_t n = 0; shown->all && n < files; n++)
            table_row(&shown->file[i + n], 1, shown->file[i + n].code.path);
    }
}

void cua_code_text(const struct cua_code_look *look)
{
    shown = look;
    if (look->targets > 1) {
        text_table();
    } else {
        text_target();
        for (size_t i = 0, files; i < look->files; i += files) {
            files = cua_code_group(look, i);
            if (files > 1)
                text_group(&look->file[i], files);
            for (size_t n = 0; (look->all || files == 1) && n < files; n++)
                text_file(&look->file[i + n].code);
        }
    }
    if (!look->files)
        puts("No GPU code found.");
    text_errors();
    if (look->targets == 1)
        print_help();
}

static void json_result(const struct cua_code *code, size_t target)
{
    const struct cua_code_result *result = &code->result[target];

    cua_jsonout_number("serve", (long long)result->end[CUA_CODE_SERVES]);
    cua_jsonout_open("fails", '{');
    for (unsigned end = CUA_CODE_ENDS; --end > CUA_CODE_UNKNOWN;)
        if (result->end[end])
            cua_jsonout_number(ends[end].word, (long long)result->end[end]);
    cua_jsonout_close('}');
    cua_jsonout_string("verdict", ends[result->verdict].word);
}

static void json_file(const struct cua_code_file *file)
{
    const struct cua_code *code = &file->code;

    cua_jsonout_open(NULL, '{');
    cua_jsonout_string("path", code->path);
    cua_jsonout_string("package", file->group);
    cua_jsonout_number("modules", (long long)code->modules);
    json_result(code, 0);
    cua_jsonout_text("cuda", cua_dotted(code->runtime));
    cua_jsonout_text("compiler", cua_dotted(code->compiler));
    cua_jsonout_text("lacks", code->lacks);
    cua_jsonout_text("trouble", code->trouble);
    if (shown->targets > 1) {
        cua_jsonout_open("targets", '[');
        for (size_t k = 0; k < shown->targets; k++) {
            cua_jsonout_open(NULL, '{');
            json_result(code, k);
            cua_jsonout_close('}');
        }
        cua_jsonout_close(']');
    }
    if (shown->list) {
        cua_jsonout_open("entries", '[');
        print_entries(code);
        cua_jsonout_close(']');
    }
    cua_jsonout_close('}');
}

static void json_group(const struct cua_code_file *file, size_t files)
{
    struct sum sum;

    cua_jsonout_open(NULL, '{');
    cua_jsonout_string("package", file->group);
    cua_jsonout_number("files", (long long)files);
    cua_jsonout_open("verdicts", '[');
    for (size_t k = 0; k < shown->targets; k++) {
        sum_up(&sum, file, files, k);
        cua_jsonout_string(NULL, ends[sum.worst].word);
    }
    cua_jsonout_close(']');
    cua_jsonout_close('}');
}

void cua_code_json(const struct cua_code_look *look)
{
    const struct cua_code_target *target = look->target;
    const unsigned ptx = cua_code_ptx_of(target->compiler)->ptx;

    shown = look;
    cua_jsonout_open(NULL, '{');
    cua_jsonout_number("schema", 1);
    cua_jsonout_texts("gpu", "cc", cua_dotted(target->cc), NULL);
    cua_jsonout_texts("driver", "cuda", cua_dotted(target->cuda), "ptx",
                      cua_code_ptx_later(target->compiler) ? NULL : cua_dotted(ptx), NULL);
    cua_jsonout_open("targets", '[');
    for (size_t k = 0; k < look->targets; k++)
        cua_jsonout_texts(NULL, "gpu", target[k].gpu, "cc", cua_dotted(target[k].cc), "driver",
                          target[k].driver, "cuda", cua_dotted(target[k].cuda), "refused",
                          target[k].refused, NULL);
    cua_jsonout_close(']');
    cua_jsonout_open("packages", '[');
    for (size_t i = 0; i < look->files; i += cua_code_group(look, i))
        json_group(&look->file[i], cua_code_group(look, i));
    cua_jsonout_close(']');
    cua_jsonout_open("files", '[');
    for (size_t i = 0; i < look->files; i++)
        json_file(&look->file[i]);
    cua_jsonout_close(']');
    json_bring();
    cua_jsonout_close('}');
}
