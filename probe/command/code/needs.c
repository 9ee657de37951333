/* SPDX-License-Identifier: Apache-2.0 */
/* By the relocations that ld.so works through, weak ones left out, as loader/loadable.c asks for
 * what is about to be loaded. */
#include "command/code/needs.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "elf/imports.h"
#include "elf/symbols.h"
#include "loader/loadable.h"

#define MOST_NAMES 16

struct lacks {
    struct cua_elf libcuda;
    char names[MOST_NAMES * 64];
    unsigned count;
};

static void on_import(void *data, const char *name)
{
    struct lacks *lacks = data;
    struct cua_elf_symbol symbol = {.name = name};

    if (lacks->count == MOST_NAMES || !cua_loadable_asks_for(name) ||
        (cua_elf_symbols(&lacks->libcuda, &symbol, 1) && symbol.found))
        return;
    if (lacks->count++)
        cua_append(lacks->names, sizeof lacks->names, ", ");
    cua_append(lacks->names, sizeof lacks->names, name);
}

static bool needs_libcuda(struct cua_elf *elf)
{
    char name[64];

    for (unsigned i = 0; i < elf->entries; i++)
        if (elf->entry[i].d_tag == DT_NEEDED &&
            cua_elf_string(elf, elf->entry[i].d_un.d_val, name, sizeof name) &&
            cua_starts(name, "libcuda.so"))
            return true;
    return false;
}

char *cua_code_lacks(int fd, const char *libcuda)
{
    struct lacks lacks = {.count = 0};
    struct cua_elf elf;
    const char *trouble;

    if (cua_elf_open(&lacks.libcuda, open(libcuda, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY),
                     EM_NONE, &trouble) == CUA_ELF_FINE) {
        if (cua_elf_open(&elf, fcntl(fd, F_DUPFD_CLOEXEC, 0), lacks.libcuda.header.e_machine,
                         &trouble) == CUA_ELF_FINE) {
            if (needs_libcuda(&elf))
                cua_elf_imports(&elf, true, on_import, &lacks);
            cua_elf_close(&elf);
        }
        cua_elf_close(&lacks.libcuda);
    }
    return lacks.count ? strdup(lacks.names) : NULL;
}
