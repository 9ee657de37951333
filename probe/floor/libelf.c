/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libelf's archive needs and does not bring along to be linked into a shared object, or, on
 * Debian 13, at all. The types are elfutils' own; `search_tree` starts with the root of a tsearch
 * tree.
 */
#include "floor.h"

#include <libelf.h>
#include <search.h>
#include <stdlib.h>

#pragma GCC visibility push(hidden)

/* The archive's elf_error.o keeps the error in thread-local memory, by code that only a program may
 * use. These keep it out. Nobody here asks libelf why: what matters of a file that it refuses is
 * that it is not to be read. */
void __libelf_seterrno(int value);
void __libelf_seterrno_internal(int value);

void __libelf_seterrno(int value)
{
    (void)value;
}

void __libelf_seterrno_internal(int value)
{
    (void)value;
}

int elf_errno(void)
{
    return 0;
}

const char *elf_errmsg(int error)
{
    (void)error;
    return "damaged ELF file";
}

/* Keeps out elf_compress.o, and with it zlib and zstd: what is read here, dynamic sections, notes
 * and their strings, is mapped by ld.so and never compressed. A file that says otherwise is
 * refused. */
void *__libelf_decompress_elf(Elf_Scn *section, size_t *size, size_t *alignment);

void *__libelf_decompress_elf(Elf_Scn *section, size_t *size, size_t *alignment)
{
    (void)section;
    (void)size;
    (void)alignment;
    return NULL;
}

/* From elfutils 0.191 on these live in a library that the archive does not contain. */
struct search_tree {
    void *root;
};

void eu_search_tree_init(struct search_tree *tree);
void eu_search_tree_fini(struct search_tree *tree, void (*free_node)(void *));
void *eu_tsearch(const void *key, struct search_tree *tree,
                 int (*compare)(const void *, const void *));
void *eu_tfind(const void *key, struct search_tree *tree,
               int (*compare)(const void *, const void *));
void *eu_tdelete(const void *key, struct search_tree *tree,
                 int (*compare)(const void *, const void *));
void eu_tdestroy(struct search_tree *tree, void (*free_node)(void *));

void eu_search_tree_init(struct search_tree *tree)
{
    tree->root = NULL;
}

void *eu_tsearch(const void *key, struct search_tree *tree,
                 int (*compare)(const void *, const void *))
{
    return tsearch(key, &tree->root, compare);
}

void *eu_tfind(const void *key, struct search_tree *tree,
               int (*compare)(const void *, const void *))
{
    return tfind(key, &tree->root, compare);
}

void *eu_tdelete(const void *key, struct search_tree *tree,
                 int (*compare)(const void *, const void *))
{
    return tdelete(key, &tree->root, compare);
}

void eu_tdestroy(struct search_tree *tree, void (*free_node)(void *))
{
    tdestroy(tree->root, free_node);
    tree->root = NULL;
}

void eu_search_tree_fini(struct search_tree *tree, void (*free_node)(void *))
{
    eu_tdestroy(tree, free_node);
}

/* An archive that was compiled with the headers of glibc 2.38 or later. */
long __isoc23_strtol(const char *restrict text, char **restrict end, int base);
unsigned long __isoc23_strtoul(const char *restrict text, char **restrict end, int base);

long __isoc23_strtol(const char *restrict text, char **restrict end, int base)
{
    return strtol(text, end, base);
}

unsigned long __isoc23_strtoul(const char *restrict text, char **restrict end, int base)
{
    return strtoul(text, end, base);
}

#pragma GCC visibility pop
