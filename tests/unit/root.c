/* SPDX-License-Identifier: Apache-2.0 */
#include "root.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../fixtures/built.h"

static void check(int failed, const char *what, const char *path)
{
    if (!failed)
        return;
    printf("Bail out! %s %s: %s\n", what, path, strerror(errno));
    exit(1);
}

static const char *below(const char *root, const char *path)
{
    static char full[PATH_MAX];

    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        check(mkdir(full, 0755) && errno != EEXIST, "mkdir", full);
        *slash = '/';
    }
    return full;
}

char *root_make(void)
{
    const char *tmp = getenv("TMPDIR");
    char *root = malloc(PATH_MAX);

    check(!root, "malloc", "");
    snprintf(root, PATH_MAX, "%s/cuarbiter-XXXXXX", tmp ? tmp : "/tmp");
    check(!mkdtemp(root), "mkdtemp", root);
    check(chmod(root, 0755), "chmod", root);
    return root;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void root_remove(char *root)
{
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(root);
}

void root_folder(const char *root, const char *path)
{
    const char *full = below(root, path);

    check(mkdir(full, 0755) && errno != EEXIST, "mkdir", full);
}

void root_bytes(const char *root, const char *path, const void *bytes, size_t size)
{
    const char *full = below(root, path);
    FILE *f = fopen(full, "we");

    check(!f, "create", full);
    check(fwrite(bytes, 1, size, f) != size, "write", full);
    check(fclose(f), "close", full);
}

void root_text(const char *root, const char *path, const char *text)
{
    root_bytes(root, path, text, strlen(text));
}

char *file_read(const char *path, size_t *size)
{
    FILE *f = fopen(path, "re");
    char *bytes;
    long end = 0;

    check(!f, "open", path);
    check(fseek(f, 0, SEEK_END) || (end = ftell(f)) < 0, "seek", path);
    rewind(f);
    *size = (size_t)end;
    bytes = malloc(*size + 1);
    check(!bytes || fread(bytes, 1, *size, f) != *size, "read", path);
    bytes[*size] = 0;
    fclose(f);
    return bytes;
}

void root_copy(const char *root, const char *path, const char *source)
{
    size_t size;
    char *bytes = file_read(source, &size);

    root_bytes(root, path, bytes, size);
    free(bytes);
}

void root_link(const char *root, const char *path, const char *target)
{
    const char *full = below(root, path);

    unlink(full);
    check(symlink(target, full), "symlink", full);
}

void root_fifo(const char *root, const char *path)
{
    const char *full = below(root, path);

    check(mkfifo(full, 0644), "mkfifo", full);
}

void root_mode(const char *root, const char *path, unsigned mode)
{
    const char *full = below(root, path);

    check(chmod(full, mode), "chmod", full);
}

const char *lib_path(const char *name)
{
    char inside[NAME_MAX];

    snprintf(inside, sizeof inside, "tests/unit/%s", name);
    return built_path(inside);
}
