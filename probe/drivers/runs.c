/* SPDX-License-Identifier: Apache-2.0 */
#include "drivers/runs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "base/whole.h"

int cua_runs_open(const struct cua_store *store, const char *version)
{
    char name[NAME_MAX + 1];
    struct stat st;

    if (snprintf(name, sizeof name, "%s" CUA_STORE_RUNS, version) >= (int)sizeof name)
        return -1;
    /* O_NONBLOCK: otherwise a FIFO would block the open. */
    int fd = openat(store->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && !cua_fstat(fd, &st) && S_ISREG(st.st_mode) && cua_store_is_own(store, &st))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool take_row(struct cua_kernel_run *run, char *line)
{
    char *kmd = strsep(&line, "\t"), *cc = strsep(&line, "\t"), *end = strsep(&line, "\t");

    if (!line || !line[0] || cua_version_parse(&run->kmd, kmd) != strlen(kmd) || !kmd[0])
        return false;
    run->cc = (unsigned)strtoul(cc, NULL, 10);
    run->runs = !strcmp(end, "runs");
    return (run->runs || !strcmp(end, "fails")) && cua_copy(run->model, sizeof run->model, line);
}

struct cua_kernel_run *cua_runs_read(const struct cua_store *store, const char *version,
                                     size_t *count)
{
    char *text = cua_whole_text(cua_runs_open(store, version), CUA_RUNS_BYTES), *line;
    struct cua_kernel_run *runs = text ? calloc(CUA_RUNS_MOST, sizeof *runs) : NULL;

    *count = 0;
    for (char *rest = text; runs && *count < CUA_RUNS_MOST && (line = strsep(&rest, "\n"));)
        *count += take_row(&runs[*count], line);
    free(text);
    if (*count)
        return runs;
    free(runs);
    return NULL;
}
