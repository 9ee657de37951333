/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that libelf.a needs but that cannot go from it into a shared object, or that Debian
 * 13's libelf.a does not contain. The types are elfutils' own. `search_tree` starts with the root
 * of a tsearch tree. */
/* If this were defined, fstat would be compiled under the name fstat64. */
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

/* Replaces libelf.a's elf_error.o, which keeps the error in thread-local memory by code that only a
 * program may use. The error itself is not needed: a file that libelf refuses is not read, whatever
 * the reason. */
void __libelf_seterrno(int value)
{
    (void)value;
}

/* Calls the system call. In glibc 2.33 fstat got a new symbol version, which this definition
 * avoids. */
int fstat(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st);
}

/* Search trees. From elfutils 0.191 on these functions are in a library that libelf.a does not
 * contain. */
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
 * later. Weak, because the static answerer gets the function from such a libc itself, in the object
 * that contains strtol. */
__attribute__((weak)) long __isoc23_strtol(const char *restrict text, char **restrict end, int base)
{
    return strtol(text, end, base);
}

#pragma GCC visibility pop
