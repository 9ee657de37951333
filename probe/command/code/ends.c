/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/ends.h"

#include <string.h>
#include <strings.h>

unsigned cua_code_ptx_of(unsigned cuda, bool *sure)
{
    const struct cua_code_ptx *row = cua_code_ptx;

    while (row[1].cuda <= cuda)
        row++;
    /* What came after the last row, nobody knows. */
    *sure = row->cuda == cuda || row[1].cuda != CUA_CODE_LATER;
    return row->ptx;
}

static bool fits(const struct cua_code_entry *entry, unsigned cc)
{
    const bool elf = entry->kind == CUA_CODE_ELF;

    if (entry->suffix == 'a' || (elf && (cua_code_is_tegra(entry->sm) || cua_code_is_tegra(cc))))
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

void cua_code_take(struct cua_code *code, const struct cua_code_entry *entry)
{
    const enum cua_code_end end = end_of(entry, code->target);
    unsigned *oldest = &code->module.oldest;

    code->entries++;
    code->module.empty |= entry->empty;
    code->module.loads |= entry->kind != CUA_CODE_LTO;
    code->module.other |= entry->kind == CUA_CODE_OTHER || !code->target->cc;
    if (code->each)
        code->each(entry);
    if (!fits(entry, code->target->cc))
        return;
    code->module.ends[entry->kind] |= 1u << end;
    if (end == CUA_CODE_222 && (!*oldest || entry->version < *oldest))
        *oldest = entry->version;
}

void cua_code_end_module(struct cua_code *code)
{
    const unsigned elf = code->module.ends[CUA_CODE_ELF], ptx = code->module.ends[CUA_CODE_PTX];
    const struct cua_code_ptx *row = cua_code_ptx;
    const int best = ffs((int)(elf ? elf : ptx)) - 1;
    enum cua_code_end end = best >= 0            ? (enum cua_code_end)best
                            : code->module.other ? CUA_CODE_UNKNOWN
                                                 : CUA_CODE_209;

    /* Whether a driver that cannot unpack the binary goes on to PTX is not known. */
    if (elf && end == CUA_CODE_200 && ptx & 1u << CUA_CODE_SERVES)
        end = CUA_CODE_UNKNOWN;
    code->linkable |= code->apart && ptx;
    if (code->module.loads && !code->module.empty && !code->apart) {
        code->modules++;
        code->end[end]++;
        while (end == CUA_CODE_222 && row->ptx < code->module.oldest)
            row++;
        const unsigned needs = end == CUA_CODE_200 ? cua_code_zstd : row->cuda;
        code->needs = needs > code->needs ? needs : code->needs;
    }
    memset(&code->module, 0, sizeof code->module);
}

enum cua_code_end cua_code_result(const struct cua_code *code)
{
    const unsigned long *end = code->end;

    if (end[CUA_CODE_222] || end[CUA_CODE_200])
        return end[CUA_CODE_SERVES]                     ? CUA_CODE_PARTIAL
               : end[CUA_CODE_222] >= end[CUA_CODE_200] ? CUA_CODE_222
                                                        : CUA_CODE_200;
    if (end[CUA_CODE_UNKNOWN] || code->trouble)
        return CUA_CODE_UNKNOWN;
    return end[CUA_CODE_209] && !end[CUA_CODE_SERVES] ? CUA_CODE_209 : CUA_CODE_SERVES;
}
