/* SPDX-License-Identifier: Apache-2.0 */
#include "command/status/running.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuarbiter/ident.h"
#include "cuarbiter/libraries.h"
#include "cuarbiter/names.h"
#include "base/text.h"
#include "base/whole.h"
#include "command/process.h"

#define CUA_MAPPED_MOST 256
#define CUA_FILE_MOST   (4u << 20)

const char *cua_word_mapped(enum cua_mapped_kind kind)
{
    static const char *const words[] = {[CUA_MAPPED_LIBCUDA] = "libcuda",
                                        [CUA_MAPPED_COMPANION] = "companion",
                                        [CUA_MAPPED_BOUND] = "kernel-bound",
                                        [CUA_MAPPED_SHIM] = "shim"};

    return words[kind];
}

static bool kind_of(const char *file, enum cua_mapped_kind *kind)
{
    const struct cua_library *row;
    const char *tail;

    if (strcmp(file, CUA_FILE_SHIM) == 0) {
        *kind = CUA_MAPPED_SHIM;
        return true;
    }
    row = cua_library_of(file, &tail);
    if (!row)
        return false;
    *kind = row->kind == CUA_LIBRARY_CUDA    ? CUA_MAPPED_LIBCUDA
            : row->kind == CUA_LIBRARY_BOUND ? CUA_MAPPED_BOUND
                                             : CUA_MAPPED_COMPANION;
    return true;
}

static int add_mapped(struct cua_running *running, char *path)
{
    static const char deleted[] = " (deleted)";
    struct cua_running_file new = {.gone = cua_ends(path, deleted)};

    if (new.gone)
        path[strlen(path) - strlen(deleted)] = '\0';
    if (!kind_of(cua_basename(path), &new.kind) || running->mapped_count == CUA_MAPPED_MOST)
        return 0;
    for (size_t i = 0; i < running->mapped_count; i++)
        if (strcmp(running->mapped[i].path, path) == 0)
            return 0;
    struct cua_running_file *more =
        realloc(running->mapped, (running->mapped_count + 1) * sizeof(*running->mapped));
    if (!more)
        return -ENOMEM;
    running->mapped = more;
    new.path = strdup(path);
    if (!new.path)
        return -ENOMEM;
    more[running->mapped_count++] = new;
    return 0;
}

/* Reads the file `maps` in `folder` (/proc/PID), and adds the shim and the libraries of NVIDIA's
 * driver to running->mapped. 0 or -errno. */
static int read_maps(struct cua_running *running, const char *folder)
{
    char name[64];

    snprintf(name, sizeof(name), "%s/maps", folder);
    char *text = cua_whole_file(name, CUA_FILE_MOST, NULL), *rest = text, *line;
    int err = text ? 0 : -errno;

    while (!err && (line = strsep(&rest, "\n"))) {
        char *path = cua_process_file(line);
        if (path)
            err = add_mapped(running, path);
    }
    free(text);
    return err;
}

void cua_preload_file(const struct cua_subject *subject, char *entry, size_t size)
{
    char *text = cua_whole(cua_subject_open(subject, "/etc/ld.so.preload"), CUA_FILE_MOST, NULL);
    char *rest = text, *word;

    entry[0] = '\0';
    while (text && (word = strsep(&rest, " :\t\n")))
        if (strcmp(cua_basename(word), CUA_FILE_SHIM) == 0)
            cua_copy(entry, size, word);
    free(text);
}

static void read_name(struct cua_running *running, const char *folder)
{
    char path[64];

    snprintf(path, sizeof(path), "%s/comm", folder);
    char *comm = cua_whole_file(path, CUA_FILE_MOST, NULL);
    if (comm) {
        comm[strcspn(comm, "\n")] = '\0';
        cua_copy(running->name, sizeof(running->name), comm);
    }
    free(comm);
    snprintf(path, sizeof(path), "%s/exe", folder);
    ssize_t n = readlink(path, running->exe, sizeof(running->exe) - 1);
    running->exe[n > 0 ? n : 0] = '\0';
}

int cua_running_read(struct cua_running *running, const struct cua_subject *subject)
{
    char folder[32] = "/proc/self";

    memset(running, 0, sizeof(*running));
    running->pid = subject->pid;
    if (subject->pid)
        snprintf(folder, sizeof(folder), "/proc/%ld", (long)subject->pid);
    /* CUARBITER_SYSROOT applies to facts only, not to the paths that this process has mapped. */
    running->place = cua_subject_is_own(subject) ? cua_here : *subject;
    int err = read_maps(running, folder);
    if (err)
        return err;
    read_name(running, folder);
    running->preload = cua_subject_env(subject, "LD_PRELOAD");
    cua_preload_file(&running->place, running->preload_file, sizeof(running->preload_file));
    if (subject->pid)
        running->absent = cua_unreached_find(subject->pid);
    if (running->absent == CUA_STARTING ||
        (cua_running_find(running, CUA_MAPPED_SHIM) && running->absent != CUA_UNREACHED_MUSL &&
         running->absent != CUA_UNREACHED_PRIVILEGES))
        running->absent = CUA_REACHABLE;
    return 0;
}

void cua_running_free(struct cua_running *running)
{
    for (size_t i = 0; i < running->mapped_count; i++)
        free(running->mapped[i].path);
    free(running->mapped);
    running->mapped = NULL;
    running->mapped_count = 0;
}

const struct cua_running_file *cua_running_find(const struct cua_running *running,
                                                enum cua_mapped_kind kind)
{
    for (size_t i = 0; i < running->mapped_count; i++)
        if (running->mapped[i].kind == kind)
            return &running->mapped[i];
    return NULL;
}

bool cua_running_preloads(const struct cua_running *running)
{
    const char *p = running->preload;
    size_t name = strlen(CUA_FILE_SHIM);

    while (p && *p) {
        size_t n = strcspn(p, " :");
        if (n >= name && memcmp(p + n - name, CUA_FILE_SHIM, name) == 0 &&
            (n == name || p[n - name - 1] == '/'))
            return true;
        p += n;
        p += strspn(p, " :");
    }
    return false;
}

/* Reads the mark of the shim or the answerer (cuarbiter/ident.h). Its form is CUA_IDENT_MARK "WORD
 * VERSION\0" CUA_IDENT_FRAME "NUMBER\0". WORD names the file, such as "shim". NUMBER is that of the
 * message format (CUA_FRAME). */
void cua_ident_read(const struct cua_subject *subject, const char *path,
                    struct cua_ident_read *ident)
{
    size_t length, word;
    char *text = cua_whole(cua_subject_open(subject, path), CUA_FILE_MOST, &length);
    const char *mark = text ? memmem(text, length, CUA_IDENT_MARK, strlen(CUA_IDENT_MARK)) : NULL;

    *ident = (struct cua_ident_read){.what = ""};
    if (mark) {
        mark += strlen(CUA_IDENT_MARK);
        word = strcspn(mark, " ");
        cua_copy_n(ident->what, sizeof(ident->what), mark, word);
        mark += word;
        if (*mark == ' ') {
            cua_copy(ident->version, sizeof(ident->version), mark + 1);
            mark += strlen(mark) + 1;
            if (mark < text + length && cua_starts(mark, CUA_IDENT_FRAME))
                cua_copy(ident->frame, sizeof(ident->frame), mark + strlen(CUA_IDENT_FRAME));
        }
    }
    free(text);
}
