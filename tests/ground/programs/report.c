/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"
#include "floor.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define CUA_MAX_MAPS 16

static char more[2048];
static char maps[CUA_MAX_MAPS][512];
static char where[CUA_MAX_MAPS][64];
static int n_maps;

/* A maps line: addresses perms offset dev inode path. Two names of one file count once. */
static void note_mapping(char *line)
{
    char *path = strchr(line, '/'), *base, *id = line;
    int i, field;

    if (!path || n_maps == CUA_MAX_MAPS)
        return;
    path[strcspn(path, "\n")] = 0;
    base = strrchr(path, '/') + 1;
    if (strncmp(base, "libcuda.so", 10))
        return;
    for (field = 0; field < 3; field++)
        id = strchr(id, ' ') + 1;
    *strchr(strchr(id, ' ') + 1, ' ') = 0;
    for (i = 0; i < n_maps; i++)
        if (!strcmp(where[i], id))
            return;
    snprintf(where[n_maps], sizeof where[0], "%s", id);
    snprintf(maps[n_maps++], sizeof maps[0], "%s", path);
}

static void read_maps(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    char line[4352];

    while (file && fgets(line, sizeof line, file))
        note_mapping(line);
    if (file)
        fclose(file);
}

static void print_rest(void)
{
    int i;

    printf("%s libcudas=%d maps=", more, n_maps);
    for (i = 0; i < n_maps; i++)
        printf("%s%s", i ? "," : "", maps[i]);
    printf("\n");
    fflush(stdout);
}

void cua_report_more(const char *key, const char *value)
{
    size_t used = strlen(more), i;

    snprintf(more + used, sizeof more - used, " %s=%s", key, value ? value : "-");
    for (i = used + 1; more[i]; i++)
        if (more[i] == ' ' || more[i] == '\n')
            more[i] = '_';
}

int cua_report(const char *program, const char *key, int code, const void *address)
{
    Dl_info info;
    const char *file = "-";

    read_maps();
    if (address && dladdr(address, &info) && info.dli_fname)
        file = info.dli_fname;
    else if (!address && n_maps == 1)
        file = maps[0];
    printf("program=%s %s=%d file=%s", program, key, code, file);
    print_rest();
    return 0;
}

int cua_report_nothing(const char *program, const char *why)
{
    read_maps();
    cua_report_more("error", why);
    printf("program=%s", program);
    print_rest();
    return 1;
}
