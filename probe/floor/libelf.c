/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libelf's archive needs and does not bring along to be linked into a shared object, or, on
 * Debian 13, at all. The types are elfutils' own; `search_tree` starts with the root of a tsearch
 * tree.
 */
/* With it fstat would be compiled under the name fstat64. */
#undef _FILE_OFFSET_BITS
#include "floor.h"

#include <search.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)
/* The prototypes are elfutils' own and in no header that it installs. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* The archive's elf_error.o keeps the error in thread-local memory, by code that only a program may
 * use. This keeps it out. Nobody here asks libelf why: what matters of a file that it refuses is
 * that it is not to be read. */
void __libelf_seterrno(int value)
{
    (void)value;
}

/* glibc 2.33 gave it a new symbol version. */
int fstat(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st);
}

/* From elfutils 0.191 on these live in a library that the archive does not contain. */
struct search_tree {
    void *root;
};

void eu_search_tree_init(struct search_tree *tree)
{
    tree->root = NULL;
}

void *eu_tsearch(const void *key, struct search_tree *tree,
                 int (*compare)(const void *, const void *))
{
    return tsearch(key, &tree->root, compare);
}

void *eu_tdelete(const void *key, struct search_tree *tree,
                 int (*compare)(const void *, const void *))
{
    return tdelete(key, &tree->root, compare);
}

void eu_search_tree_fini(struct search_tree *tree, void (*free_node)(void *))
{
    tdestroy(tree->root, free_node);
    tree->root = NULL;
}

/* An archive that was compiled with the headers of glibc 2.38 or later. */
long __isoc23_strtol(const char *restrict text, char **restrict end, int base)
{
    return strtol(text, end, base);
}

#pragma GCC visibility pop
