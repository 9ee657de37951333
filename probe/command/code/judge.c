/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/judge.h"

#include <stdlib.h>
#include <string.h>

#include "command/gpu_support.h"

/* A module whose code is all for later GPUs usually leaves a GPU out on purpose. But if a file has
 * more than this many such modules for each module that the GPU can use, they count as missing.
 * (Modules that are meant only for some GPUs, is_for_some, never count as missing.) A V100
 * can use 30 of the 88 modules in vllm 0.11.2's _C, and that library works. A P100 can use only 1,
 * and the library fails. */
#define MOST_LATER 10

#define MOST_LISTED (1ul << 20)

const struct cua_code_ptx *cua_code_ptx_of(unsigned compiler)
{
    const struct cua_code_ptx *row = cua_code_ptx;

    while (row[1].cuda <= compiler)
        row++;
    return row;
}

bool cua_code_ptx_later(unsigned compiler)
{
    const struct cua_code_ptx *row = cua_code_ptx_of(compiler);

    return row->ptx && row[1].cuda == CUA_CODE_LATER && row->cuda < compiler;
}

/* Whether an entry is for a GPU of this capability: a binary can run there, or PTX can be compiled
 * there. A binary for a Tegra's chip runs on that chip only, and that chip runs no other
 * binaries. */
static bool fits(const struct cua_code_entry *entry, unsigned cc)
{
    const bool elf = entry->kind == CUA_CODE_ELF;

    if (entry->suffix[0] == 'a' || (elf && (cua_gpu_is_tegra(entry->sm) || cua_gpu_is_tegra(cc))))
        return entry->sm == cc;
    return entry->sm <= cc && (entry->sm / 10 == cc / 10 || (!elf && entry->suffix[0] != 'f'));
}

/* Returns the rank of an entry for a target (see judge.h). *needs receives the CUDA that a driver
 * must have for this entry:
 * - PTX of a version that this driver may reject: the first CUDA that accepts this version.
 * - Any other code: the first CUDA that can unpack it.
 * Leaves *needs unchanged if the entry is not for this GPU, or if too little is known about
 * either. */
static unsigned rank_of(const struct cua_code_entry *entry, const struct cua_code_target *target,
                        unsigned *needs)
{
    const struct cua_code_ptx *row = cua_code_ptx_of(target->compiler);
    const bool ptx = entry->kind == CUA_CODE_PTX;
    const unsigned group = ptx ? CUA_AS_PTX : CUA_AS_ELF;

    if (entry->kind == CUA_CODE_OTHER || !target->cc)
        return CUA_AS_NONE + CUA_CODE_UNKNOWN;
    if (!fits(entry, target->cc))
        return CUA_AS_NONE + CUA_CODE_209;
    if (ptx && (!row->ptx || entry->version > row->ptx)) {
        /* If the compiler is newer than the table's last row, it may accept a later PTX version
         * than that row's, so the result is unknown. */
        const bool sure = row->ptx && !cua_code_ptx_later(target->compiler);
        while (row->ptx < entry->version)
            row++;
        *needs = row->cuda;
        return group + (sure ? CUA_CODE_222 : CUA_CODE_UNKNOWN);
    }
    *needs = entry->packed->cuda;
    if (*needs <= target->cuda)
        return group + CUA_CODE_SERVES;
    return group + (target->cuda && *needs != CUA_CODE_LATER ? CUA_CODE_200 : CUA_CODE_UNKNOWN);
}

bool cua_code_begin(struct cua_code_module *module, struct cua_code *code)
{
    const size_t count = code->count ? code->count : 1;

    *module = (struct cua_code_module){.code = code, .needs = calloc(count, sizeof *module->needs)};
    code->result = calloc(count, sizeof *code->result);
    if (module->needs && code->result)
        return true;
    free(module->needs);
    cua_code_free(code);
    return false;
}

void cua_code_free(struct cua_code *code)
{
    free(code->result);
    free(code->list);
    code->result = NULL;
    code->list = NULL;
}

static void keep(struct cua_code *code, const struct cua_code_entry *entry)
{
    if (code->entries == code->room) {
        const unsigned long room = code->room ? 2 * code->room : 64;
        struct cua_code_entry *more =
            room <= MOST_LISTED ? realloc(code->list, room * sizeof *more) : NULL;
        if (!more) {
            code->trouble = "it has more pieces of GPU code than can be listed";
            return;
        }
        code->list = more;
        code->room = room;
    }
    code->list[code->entries] = *entry;
}

void cua_code_take(struct cua_code_module *module, const struct cua_code_entry *entry)
{
    struct cua_code *code = module->code;

    for (size_t i = 0; entry->kind != CUA_CODE_LTO && i < code->count; i++) {
        unsigned needs = 0;
        unsigned *least = &module->needs[i][rank_of(entry, &code->targets[i], &needs)];
        if (!*least || needs < *least)
            *least = needs ? needs : 1;
    }
    module->entries += entry->kind != CUA_CODE_LTO;
    module->empty += entry->empty;
    module->exact += entry->suffix[0] != '\0';
    if (entry->kind != CUA_CODE_LTO) {
        module->lowest = module->lowest && module->lowest < entry->sm ? module->lowest : entry->sm;
        module->highest = module->highest > entry->sm ? module->highest : entry->sm;
    }
    module->no_kernel |= entry->empty && entry->kind == CUA_CODE_PTX;
    if (code->listed && code->entries <= code->room)
        keep(code, entry);
    code->entries++;
}

/* Whether a module is probably meant for some GPUs only, because of one of these:
 * - the program itself loads the module, and may choose among modules;
 * - each entry is for one capability or family only ("a", "f");
 * - all entries are for the same capability. */
static bool is_for_some(const struct cua_code_module *module)
{
    return module->owner == CUA_OWNER_PROGRAM || module->exact == module->entries ||
           module->lowest == module->highest;
}

static void judge(struct cua_code_module *module, struct cua_code_result *result,
                  const unsigned *needs, unsigned cc)
{
    unsigned rank = 0;

    while (rank < CUA_RANKS && !needs[rank])
        rank++;
    enum cua_code_end end = rank % CUA_CODE_ENDS;
    /* It is not known whether a driver that cannot unpack the binary then uses the PTX. */
    if (rank == CUA_AS_ELF + CUA_CODE_200 && needs[CUA_AS_PTX + CUA_CODE_SERVES])
        end = CUA_CODE_UNKNOWN;
    if (module->owner == CUA_OWNER_LINKED) {
        result->linkable |= rank >= CUA_AS_PTX && rank < CUA_AS_NONE;
        return;
    }
    result->end[end]++;
    const bool link = module->owner == CUA_OWNER_LINK && end == CUA_CODE_209;
    result->linked += link;
    if (end == CUA_CODE_209 && (is_for_some(module) || module->lowest > cc)) {
        *(link ? &result->linked_aside : &result->aside) += 1;
        *(link ? &result->linked_later : &result->later) += !is_for_some(module);
    }
    if (end >= CUA_CODE_200 && needs[rank] > result->needs)
        result->needs = needs[rank];
}

/* Whether a module does not count, because it has no kernel: it has no entries for drivers, all its
 * entries are empty, or one of its PTX entries is empty. Device linking leaves a container of empty
 * binaries even in a file without GPU code. */
static bool is_nothing(const struct cua_code_module *module)
{
    return !module->entries || module->no_kernel || module->empty == module->entries;
}

void cua_code_end_module(struct cua_code_module *module)
{
    struct cua_code *code = module->code;
    const bool counts = !is_nothing(module);

    for (size_t i = 0; counts && i < code->count; i++)
        judge(module, &code->result[i], module->needs[i], code->targets[i].cc);
    code->modules += counts && module->owner != CUA_OWNER_LINKED;
    memset(module->needs, 0, (code->count ? code->count : 1) * sizeof *module->needs);
    module->entries = module->empty = module->exact = module->lowest = module->highest = 0;
    module->no_kernel = false;
}

/* Whether a runtime returns error 35, because its CUDA is later than the driver's. From CUDA 11 on
 * a runtime compares only the major. False if the driver's CUDA is not known. */
static bool is_too_old(unsigned cuda, unsigned runtime)
{
    return cuda && !cua_cuda_starts(cuda, runtime);
}

/* Libraries have separate modules for each GPU, so modules for other GPUs (`aside`) are not
 * missing. Some of these are only for later GPUs (`later`): they are missing if this GPU can use
 * hardly any module (MOST_LATER). */
unsigned long cua_code_missing(const struct cua_code_result *result)
{
    const unsigned long *end = result->end;
    const unsigned long here = end[CUA_CODE_SERVES] + end[CUA_CODE_222] + end[CUA_CODE_200];

    return end[CUA_CODE_209] - result->aside +
           (result->later > MOST_LATER * here ? result->later : 0);
}

/* Whether more modules lack code for this GPU than have it, so that no other driver would help. */
static bool is_for_others(const struct cua_code_result *result)
{
    const unsigned long *end = result->end;

    return cua_code_missing(result) > end[CUA_CODE_SERVES] + end[CUA_CODE_222] + end[CUA_CODE_200];
}

static enum cua_code_end verdict_of(const struct cua_code *code, size_t i)
{
    const struct cua_code_result *result = &code->result[i];
    const unsigned long *end = result->end, bad = end[CUA_CODE_222] + end[CUA_CODE_200];
    const bool unknown = end[CUA_CODE_UNKNOWN] > result->linked || code->trouble;

    if (is_too_old(code->targets[i].cuda, code->runtime))
        return CUA_CODE_35;
    if (code->targets[i].refused[0] && (code->modules || code->runtime))
        return CUA_CODE_100;
    if (end[CUA_CODE_SERVES] && (bad || is_for_others(result)))
        return CUA_CODE_PART;
    if (bad && is_for_others(result))
        return CUA_CODE_209;
    if (bad)
        return end[CUA_CODE_222] >= end[CUA_CODE_200] ? CUA_CODE_222 : CUA_CODE_200;
    if (unknown || (result->linked && !end[CUA_CODE_209] && !end[CUA_CODE_SERVES]))
        return CUA_CODE_UNKNOWN;
    return end[CUA_CODE_209] && !end[CUA_CODE_SERVES] ? CUA_CODE_209 : CUA_CODE_SERVES;
}

/* Settles the device-linked modules that lack code for this GPU, after the whole file was read. If
 * the file has PTX for linking, the driver may be able to link these modules again, so their result
 * is unknown instead of 209. */
static void end_linked(struct cua_code_result *result)
{
    if (result->linkable) {
        result->end[CUA_CODE_209] -= result->linked;
        result->end[CUA_CODE_UNKNOWN] += result->linked;
    } else {
        result->aside += result->linked_aside;
        result->later += result->linked_later;
        result->linked = 0;
    }
}

void cua_code_end_file(struct cua_code_module *module)
{
    struct cua_code *code = module->code;

    for (size_t i = 0; i < code->count; i++) {
        struct cua_code_result *result = &code->result[i];
        end_linked(result);
        result->verdict = verdict_of(code, i);
        if (result->verdict == CUA_CODE_35 && result->needs < code->runtime)
            result->needs = code->runtime;
        else if (result->verdict != CUA_CODE_35 && is_for_others(result))
            result->needs = 0;
    }
    free(module->needs);
}
