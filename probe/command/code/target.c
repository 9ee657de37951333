/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/target.h"

#define BIT(end) (1u << (end))

unsigned cua_code_ptx_of(unsigned cuda, bool *sure)
{
    unsigned ptx = 0;

    *sure = false;
    for (size_t i = 0; i < cua_code_ptxs && cua_code_ptx[i].cuda <= cuda; i++) {
        /* Behind a guess, and behind the last row, nobody knows what was added. */
        *sure = cua_code_ptx[i].sure && i + 1 < cua_code_ptxs;
        *sure = *sure || (cua_code_ptx[i].sure && cua_code_ptx[i].cuda == cuda);
        ptx = cua_code_ptx[i].ptx;
    }
    return ptx;
}

unsigned cua_code_cuda_of(unsigned ptx)
{
    for (size_t i = 0; i < cua_code_ptxs; i++)
        if (cua_code_ptx[i].ptx >= ptx)
            return cua_code_ptx[i].cuda;
    return 0;
}

void cua_code_target_ptx(struct cua_code_target *target, unsigned compiler)
{
    target->compiler = compiler != 0;
    target->ptx = cua_code_ptx_of(compiler ? compiler : target->cuda, &target->ptx_sure);
}

/* Binaries of Tegra run on no other chip, and none of others on it. */
static bool is_tegra(unsigned sm)
{
    return sm == 53 || sm == 62 || sm == 72 || sm == 87 || sm == 88 || sm == 101 || sm == 110;
}

static bool same_major(unsigned sm, unsigned cc)
{
    return sm / 10 == cc / 10 && sm <= cc;
}

static bool fits(const struct cua_code_entry *entry, unsigned cc)
{
    if (entry->suffix == 'a')
        return entry->sm == cc;
    if (entry->kind == CUA_CODE_ELF && (is_tegra(entry->sm) || is_tegra(cc)))
        return entry->sm == cc;
    if (entry->kind == CUA_CODE_ELF || entry->suffix == 'f')
        return same_major(entry->sm, cc);
    return entry->sm <= cc;
}

static enum cua_code_end end_of(const struct cua_code_entry *entry,
                                const struct cua_code_target *target)
{
    if (entry->kind == CUA_CODE_PTX && target->ptx && entry->version > target->ptx)
        return target->ptx_sure ? CUA_CODE_222 : CUA_CODE_UNKNOWN;
    if (entry->packed == CUA_PACKED_OTHER)
        return CUA_CODE_UNKNOWN;
    if (entry->packed == CUA_PACKED_ZSTD && target->cuda < cua_code_zstd)
        return target->cuda ? CUA_CODE_200 : CUA_CODE_UNKNOWN;
    return entry->kind == CUA_CODE_PTX && !target->ptx ? CUA_CODE_UNKNOWN : CUA_CODE_SERVES;
}

void cua_code_add(struct cua_code_module *module, const struct cua_code_entry *entry,
                  const struct cua_code_target *target)
{
    enum cua_code_end end;

    module->empty |= entry->empty;
    if (entry->kind == CUA_CODE_OTHER || !target->cc) {
        module->other = true;
        return;
    }
    if (!fits(entry, target->cc))
        return;
    end = end_of(entry, target);
    module->zstd |= end == CUA_CODE_200;
    if (end == CUA_CODE_222 && (!module->least_ptx || entry->version < module->least_ptx))
        module->least_ptx = entry->version;
    *(entry->kind == CUA_CODE_ELF ? &module->elf : &module->ptx) |= BIT(end);
}

enum cua_code_end cua_code_end(const struct cua_code_module *module)
{
    if (module->elf & BIT(CUA_CODE_SERVES))
        return CUA_CODE_SERVES;
    /* Whether a driver that cannot unpack the binary goes on to PTX, nobody knows. */
    if (module->elf & BIT(CUA_CODE_200) && !(module->ptx & BIT(CUA_CODE_SERVES)))
        return CUA_CODE_200;
    if (module->elf)
        return CUA_CODE_UNKNOWN;
    for (enum cua_code_end end = CUA_CODE_SERVES; end < CUA_CODE_ENDS; end++)
        if (module->ptx & BIT(end))
            return end;
    return module->other ? CUA_CODE_UNKNOWN : CUA_CODE_209;
}
