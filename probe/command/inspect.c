/* SPDX-License-Identifier: Apache-2.0 */
#include "command/inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/build_id.h"
#include "cli/colour.h"
#include "cuarbiter/names.h"
#include "elf/file.h"
#include "drivers/identity.h"
#include "cli/jsonout.h"
#include "cli/layout.h"
#include "cli/options.h"
#include "command/status/report.h"
#include "cli/verb.h"
#include "base/oldstat.h"
#include "base/version.h"
#include "drivers/identity.h"
#include "elf/compat_note.h"
#include "command/fact_words.h"
#include "machine/subject.h"
#include "tables/load.h"
#include "tables/tables.h"
#include "command/status/report_json.h"

static void read_soname(const char *path, char *soname, size_t size)
{
    struct cua_elf elf;
    uint64_t at;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    soname[0] = '\0';
    if (cua_elf_open(&elf, fd, NULL, cua_elf_own_machine()) == CUA_ELF_FINE) {
        if (cua_elf_value(&elf, DT_SONAME, &at))
            cua_elf_string(&elf, at, soname, size);
        cua_elf_close(&elf);
    }
}

static void print_list(const char *title, const unsigned *number, size_t count)
{
    char text[CUA_NOTE_MAX * 6] = "";
    size_t length = 0;

    for (size_t i = 0; i < count && length < sizeof(text) - 12; i++)
        length +=
            (size_t)snprintf(text + length, sizeof(text) - length, "%s%u", i ? " " : "", number[i]);
    printf("%*s%s ", CUA_LAYOUT_INDENT, "", title);
    cua_layout_wrap(text, CUA_LAYOUT_INDENT + (int)strlen(title) + 1);
}

static void print_brands(const struct cua_note *note)
{
    char text[CUA_NOTE_MAX * 24] = "";
    size_t length = 0;

    for (size_t i = 0; i < note->brands && length < sizeof(text) - 24; i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s", i ? " " : "",
                                   cua_brand_name(note->brand[i]));
    printf("%*son ", CUA_LAYOUT_INDENT, "");
    cua_layout_wrap(text, CUA_LAYOUT_INDENT + 3);
}

static void print_note(const struct cua_note *note)
{
    char cuda[12];

    cua_layout_title("  note");
    if (!note->present) {
        puts(note->trouble[0] ? cua_shown(note->trouble) : "none");
        return;
    }
    printf("CUDA %s\n", note->cuda ? cua_cuda_text(note->cuda, cuda) : "unknown");
    if (note->has_branches)
        print_list("on kernel drivers", note->branch, note->branches);
    if (note->has_brands)
        print_brands(note);
}

static void print_text(const struct cua_umd *umd, const char *soname)
{
    static const enum cua_colour colours[] = {CUA_GREEN, CUA_RED, CUA_RED,
                                              CUA_RED,   CUA_RED, CUA_YELLOW};
    char cuda[12], id[CUA_BUILD_ID];

    printf("%s%s%s\n", cua_colour(CUA_BOLD), cua_shown(umd->path), cua_colour(CUA_PLAIN));
    cua_layout_title("  state");
    printf("%s%s%s%s%s\n", cua_colour(colours[umd->state]), cua_word_state(umd->state),
           cua_colour(CUA_PLAIN), umd->trouble[0] ? ": " : "", cua_shown(umd->trouble));
    if (umd->state != CUA_UMD_USABLE && umd->state != CUA_UMD_STUB)
        return;
    cua_layout_title("  version");
    printf("%s%s%s\n", umd->version.text[0] ? umd->version.text : "unknown",
           umd->version_from_content ? " (from its content)" : "", umd->tegra ? " (Tegra)" : "");
    cua_layout_title("  CUDA");
    puts(umd->cuda ? cua_cuda_text(umd->cuda, cuda) : "unknown");
    cua_layout_title("  SONAME");
    puts(soname[0] ? cua_shown(soname) : "none");
    cua_layout_title("  build-id");
    puts(cua_build_id(umd, &cua_here, id)[0] ? id : "none");
    print_note(&umd->note);
    if (umd->state != CUA_UMD_USABLE)
        return;
    cua_layout_title("  companions");
    printf("%s%s\n", umd->companions ? "beside it" : "not beside it: ", cua_shown(umd->missing));
}

/* Examines a file of this system as a libcuda, whatever its name is. Returns 0, or -errno if the
 * file cannot be found. `real` (PATH_MAX bytes) receives the file's path without links, and `umd`
 * then points to `real`. */
static int read_umd(struct cua_umd *umd, const char *path, char *real)
{
    uint64_t budget = UINT64_MAX;
    struct stat st;
    int fd = -1;

    memset(umd, 0, sizeof(*umd));
    if (!realpath(path, real) || cua_stat(real, &st) != 0)
        return -errno;
    umd->real = umd->path = real;
    cua_identify(umd, &cua_here, &fd, &st, "", cua_elf_own_machine(), &budget);
    return 0;
}

/* Examines one file and prints the result. Returns the exit code: 0 for a usable libcuda, 1 for any
 * other file, CUA_EXIT_USAGE if there is no such file. */
static int inspect(const char *file, bool json)
{
    static const struct cua_subject subject = {.sysroot = ""};
    char soname[64], real[PATH_MAX];
    struct cua_umd umd;
    int err = read_umd(&umd, file, real);

    if (err) {
        cua_complain(file, "%s", strerror(-err));
        return CUA_EXIT_USAGE;
    }
    if (!umd.cuda)
        umd.cuda = cua_data_umd_cuda(cua_data_for(&subject), &umd.version);
    read_soname(real, soname, sizeof(soname));
    if (json) {
        cua_jsonout_open(NULL, '{');
        cua_jsonout_number("schema", 1);
        cua_umd_json(&umd, &cua_here);
        cua_jsonout_text("soname", soname);
        cua_jsonout_close('}');
    } else {
        print_text(&umd, soname);
    }
    return umd.state == CUA_UMD_USABLE ? 0 : 1;
}

static int run(int argc, char **argv)
{
    int code = 0, option;
    bool json = false;

    while ((option = cua_option(&cua_verb_inspect, argc, argv, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        json = true;
    }
    if (optind == argc)
        return cua_usage(&cua_verb_inspect, "name a file");
    if (json)
        cua_jsonout_open(NULL, '[');
    for (int i = optind; i < argc; i++) {
        int one = inspect(argv[i], json);
        code = one > code ? one : code;
    }
    if (json)
        cua_jsonout_close(']');
    return code;
}

const struct cua_verb cua_verb_inspect = {
    .name = "inspect",
    .run = run,
};
