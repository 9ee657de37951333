/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/ends.h"

#include <string.h>

unsigned cua_code_ptx_of(unsigned cuda, bool *sure)
{
    const struct cua_row_ptx *row = cua_code_ptx;

    *sure = false;
    if (cuda < row->cuda)
        return 0;
    while (row[1].cuda && row[1].cuda <= cuda)
        row++;
    /* What came after the last row, nobody knows. */
    *sure = row[1].cuda || row->cuda == cuda;
    return row->ptx;
}

/* Binaries of these run on no other chip, and none of others on them. */
static bool is_tegra(unsigned sm)
{
    return sm == 53 || sm == 62 || sm == 72 || sm == 87 || sm == 88 || sm == 101 || sm == 110;
}

static bool fits(const struct cua_code_entry *entry, unsigned cc)
{
    const bool elf = entry->kind == CUA_CODE_ELF;

    if (entry->suffix == 'a' || (elf && (is_tegra(entry->sm) || is_tegra(cc))))
        return entry->sm == cc;
    return entry->sm <= cc && (entry->sm / 10 == cc / 10 || (!elf && entry->suffix != 'f'));
}

static enum cua_code_end end_of(const struct cua_code_entry *entry,
                                const struct cua_code_target *target)
{
    const bool ptx = entry->kind == CUA_CODE_PTX;

    if (ptx && target->ptx && entry->version > target->ptx)
        return target->ptx_sure ? CUA_CODE_222 : CUA_CODE_UNKNOWN;
    if (entry->packed == CUA_PACKED_OTHER || (ptx && !target->ptx))
        return CUA_CODE_UNKNOWN;
    if (entry->packed == CUA_PACKED_ZSTD && target->cuda < cua_code_zstd)
        return target->cuda ? CUA_CODE_200 : CUA_CODE_UNKNOWN;
    return CUA_CODE_SERVES;
}

static enum cua_code_end module_end(const struct cua_code *code)
{
    const enum cua_code_end elf = code->module.elf, ptx = code->module.ptx;

    /* Whether a driver that cannot unpack the binary goes on to PTX is not known. */
    if (elf == CUA_CODE_200 && ptx == CUA_CODE_SERVES)
        return CUA_CODE_UNKNOWN;
    if (elf != CUA_CODE_ENDS || ptx != CUA_CODE_ENDS)
        return elf != CUA_CODE_ENDS ? elf : ptx;
    return code->module.other ? CUA_CODE_UNKNOWN : CUA_CODE_209;
}

void cua_code_end_module(struct cua_code *code)
{
    const enum cua_code_end end = module_end(code);
    const struct cua_row_ptx *row = cua_code_ptx;
    unsigned needs = end == CUA_CODE_200 ? cua_code_zstd : 0;

    code->linkable |= code->apart && code->module.ptx != CUA_CODE_ENDS;
    if (code->module.loads && !code->module.empty && !code->apart) {
        code->modules++;
        code->end[end]++;
        while (end == CUA_CODE_222 && row->cuda && row->ptx < code->module.oldest)
            row++;
        if (end == CUA_CODE_222)
            needs = row->cuda ? row->cuda : CUA_CODE_LATER;
        code->needs = needs > code->needs ? needs : code->needs;
    }
    memset(&code->module, 0, sizeof code->module);
    code->module.elf = code->module.ptx = CUA_CODE_ENDS;
}

void cua_code_take(struct cua_code *code, const struct cua_code_entry *entry)
{
    const bool elf = entry->kind == CUA_CODE_ELF;
    enum cua_code_end *best = elf ? &code->module.elf : &code->module.ptx;

    code->entries++;
    code->module.empty |= entry->empty;
    code->module.loads |= entry->kind != CUA_CODE_LTO;
    code->module.other |= entry->kind == CUA_CODE_OTHER || !code->target->cc;
    if (code->each)
        code->each(entry);
    if ((!elf && entry->kind != CUA_CODE_PTX) || !fits(entry, code->target->cc))
        return;
    const enum cua_code_end end = end_of(entry, code->target);
    *best = end < *best ? end : *best;
    if (end == CUA_CODE_222 && (!code->module.oldest || entry->version < code->module.oldest))
        code->module.oldest = entry->version;
}
