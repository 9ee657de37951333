/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver takes compiled code for its GPU where a module has some, else PTX, else nothing,
 * whatever becomes of it then. So an entry's rank is its end in one of three groups, and the lowest
 * of a module is its own.
 */
#include "command/code/ends.h"

#include <string.h>

enum { RANK_ELF, RANK_PTX = CUA_CODE_ENDS, RANK_NONE = 2 * CUA_CODE_ENDS };

const struct cua_code_ptx *cua_code_ptx_of(unsigned compiler)
{
    const struct cua_code_ptx *row = cua_code_ptx;

    while (row[1].cuda <= compiler)
        row++;
    return row;
}

static bool fits(const struct cua_code_entry *entry, unsigned cc)
{
    const bool elf = entry->kind == CUA_CODE_ELF;

    if (entry->suffix == 'a' || (elf && (cua_code_is_tegra(entry->sm) || cua_code_is_tegra(cc))))
        return entry->sm == cc;
    return entry->sm <= cc && (entry->sm / 10 == cc / 10 || (!elf && entry->suffix != 'f'));
}

/* Also the CUDA of a driver that would take it, where this one does not. */
static unsigned rank_of(const struct cua_code_entry *entry, const struct cua_code_target *target,
                        unsigned *needs)
{
    const struct cua_code_ptx *row = cua_code_ptx_of(target->compiler);
    const bool ptx = entry->kind == CUA_CODE_PTX;
    const unsigned group = ptx ? RANK_PTX : RANK_ELF;

    if (entry->kind == CUA_CODE_OTHER || !target->cc)
        return RANK_NONE + CUA_CODE_UNKNOWN;
    if (entry->kind == CUA_CODE_LTO || !fits(entry, target->cc))
        return RANK_NONE + CUA_CODE_209;
    if (ptx && !row->ptx)
        return group + CUA_CODE_UNKNOWN;
    if (ptx && entry->version > row->ptx) {
        /* What came after the table's last row, nobody knows. */
        const bool sure = row[1].cuda != CUA_CODE_LATER || row->cuda == target->compiler;
        while (row->ptx < entry->version)
            row++;
        *needs = row->cuda;
        return group + (sure ? CUA_CODE_222 : CUA_CODE_UNKNOWN);
    }
    *needs = cua_code_packings[entry->packed].cuda;
    if (*needs <= target->cuda)
        return group + CUA_CODE_SERVES;
    return group + (target->cuda && *needs != CUA_CODE_LATER ? CUA_CODE_200 : CUA_CODE_UNKNOWN);
}

void cua_code_take(struct cua_code *code, const struct cua_code_entry *entry)
{
    unsigned needs = 0;
    unsigned *least = &code->module.needs[rank_of(entry, code->target, &needs)];

    if (!*least || needs < *least)
        *least = needs ? needs : 1;
    code->entries++;
    code->module.empty |= entry->empty;
    code->module.loads |= entry->kind != CUA_CODE_LTO;
    if (code->each)
        code->each(entry);
}

void cua_code_end_module(struct cua_code *code)
{
    const unsigned *needs = code->module.needs;
    unsigned rank = 0;

    while (rank < RANK_NONE + CUA_CODE_209 && !needs[rank])
        rank++;
    enum cua_code_end end = rank % CUA_CODE_ENDS;
    /* Whether a driver that cannot unpack the binary goes on to PTX is not known. */
    if (rank == RANK_ELF + CUA_CODE_200 && needs[RANK_PTX + CUA_CODE_SERVES])
        end = CUA_CODE_UNKNOWN;
    code->linkable |= code->apart && rank >= RANK_PTX && rank < RANK_NONE;
    if (code->module.loads && !code->module.empty && !code->apart) {
        code->modules++;
        code->end[end]++;
        if (end >= CUA_CODE_200 && needs[rank] > code->needs)
            code->needs = needs[rank];
    }
    memset(&code->module, 0, sizeof code->module);
}

void cua_code_end_file(struct cua_code *code)
{
    const unsigned long *end = code->end, bad = end[CUA_CODE_222] + end[CUA_CODE_200];

    if (code->linkable && end[CUA_CODE_209] && !end[CUA_CODE_SERVES] && !code->trouble)
        code->trouble = "the driver may link it anew from PTX that lies beside it";
    if (bad && end[CUA_CODE_SERVES])
        code->result = CUA_CODE_PARTIAL;
    else if (bad)
        code->result = end[CUA_CODE_222] >= end[CUA_CODE_200] ? CUA_CODE_222 : CUA_CODE_200;
    else if (end[CUA_CODE_UNKNOWN] || code->trouble)
        code->result = CUA_CODE_UNKNOWN;
    else
        code->result = end[CUA_CODE_209] && !end[CUA_CODE_SERVES] ? CUA_CODE_209 : CUA_CODE_SERVES;
}
