/* SPDX-License-Identifier: Apache-2.0 */
#include "store/keep_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/folder.h"
#include "store/member.h"

static bool is_same(const struct cua_kernel_run *a, const struct cua_kernel_run *b)
{
    return cua_version_compare(&a->kmd, &b->kmd) == 0 && a->cc == b->cc &&
           !strcmp(a->model, b->model);
}

static void print(FILE *out, const struct cua_kernel_run *run)
{
    fprintf(out, "%s\t%u\t%s\t%s\n", run->kmd.text, run->cc, run->runs ? "runs" : "fails",
            run->model);
}

/* Prints the new rows, then the older ones that no new row replaces; at most CUA_RUNS_MOST in
 * all. */
static void merge(FILE *out, struct cua_store *store, const char *version,
                  const struct cua_kernel_run *runs, size_t count)
{
    size_t kept = 0, rows = 0;
    struct cua_kernel_run *old = cua_runs_read(store, version, &kept);

    for (size_t i = 0; i < count; i++) {
        bool twice = false;
        for (size_t j = 0; j < i; j++)
            twice |= is_same(&runs[i], &runs[j]);
        if (!twice && rows++ < CUA_RUNS_MOST)
            print(out, &runs[i]);
    }
    for (size_t i = 0; i < kept; i++) {
        bool replaced = false;
        for (size_t j = 0; j < count; j++)
            replaced |= is_same(&old[i], &runs[j]);
        if (!replaced && rows++ < CUA_RUNS_MOST)
            print(out, &old[i]);
    }
    free(old);
}

bool cua_store_keep_runs(struct cua_store *store, const char *version,
                         const struct cua_kernel_run *runs, size_t count)
{
    char name[NAME_MAX + 1], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return cua_store_refuse(store, "%s", strerror(ENOMEM));
    merge(out, store, version, runs, count);
    if (fclose(out)) {
        free(text);
        return cua_store_refuse(store, "%s", strerror(ENOMEM));
    }
    snprintf(name, sizeof name, "%.64s" CUA_STORE_RUNS, version);
    (void)unlinkat(store->fd, CUA_STORE_NEW_RUNS, 0);
    int fd = openat(store->fd, CUA_STORE_NEW_RUNS, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool done = fd >= 0 && cua_write_all(fd, text, size) && !fchmod(fd, 0644) && !fsync(fd) &&
                !renameat(store->fd, CUA_STORE_NEW_RUNS, store->fd, name);
    if (!done)
        cua_store_refuse(store, "%s", strerror(errno));
    if (fd >= 0)
        close(fd);
    if (!done)
        (void)unlinkat(store->fd, CUA_STORE_NEW_RUNS, 0);
    free(text);
    return done;
}
