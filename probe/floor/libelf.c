/* SPDX-License-Identifier: Apache-2.0 */
/* Defines functions that libelf.a needs. glibc's and libelf.a's own definitions of them are
 * missing, newer than glibc 2.17, or cannot be linked. */
/* With this macro, the definition of fstat below would be compiled as fstat64, and would not
 * replace fstat. */
#undef _FILE_OFFSET_BITS
#include "floor.h"

#include <search.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)
/* The prototypes are elfutils' own, and no installed header has them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* Replaces libelf.a's elf_error.o, which keeps the error in thread-local memory. Its code for that
 * (TLS local-exec) cannot be linked into a shared object. The error is not needed: a file that
 * libelf refuses is not read, whatever the reason. */
void __libelf_seterrno(int value)
{
    (void)value;
}

/* fstat as a bare system call. With this definition libelf.a does not need glibc's fstat, which got
 * a new symbol version in glibc 2.33. */
int fstat(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st);
}

/* The search trees of elfutils. From elfutils 0.191 on libelf.a uses these functions, but another
 * library defines them. In elfutils a search_tree also has a lock. Only these functions take that
 * lock, so it is left out here. */
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

/* Replaces a function that libelf.a needs if it was compiled with the headers of glibc 2.38 or
 * later. Weak, because such a glibc also defines it, in the object that contains strtol, and the
 * static answerer links that object. */
__attribute__((weak)) long __isoc23_strtol(const char *restrict text, char **restrict end, int base)
{
    return strtol(text, end, base);
}

#pragma GCC visibility pop
