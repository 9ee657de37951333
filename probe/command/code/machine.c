/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "command/code/scan.h"
#include "command/gpu_name.h"
#include "command/status/status.h"
#include "command/verb.h"
#include "cuarbiter/names.h"
#include "drivers/identity.h"
#include "elf/file.h"
#include "rules/fate.h"
#include "tables/load.h"

void cua_code_target_of(struct cua_code_target *target, unsigned cc, const struct cua_umd *driver,
                        const struct cua_subject *subject)
{
    const char *const last[] = {driver ? driver->version.text : "", "1"};
    char path[PATH_MAX];
    unsigned compiler = 0;

    target->cc = cc;
    target->cuda = driver ? driver->cuda : 0;
    for (size_t i = 0; driver && !compiler && i < 2; i++) {
        if (!cua_join(path, sizeof path, cua_umd_folder(driver, path),
                      "libnvidia-ptxjitcompiler.so.") ||
            !cua_append(path, sizeof path, last[i]))
            continue;
        int fd = cua_real_open(subject, path);
        if (fd < 0)
            continue;
        compiler = cua_code_release(fd);
        close(fd);
    }
    cua_code_target_ptx(target, compiler);
}

static unsigned named_cc(const struct cua_code_request *request)
{
    unsigned cc = 0;
    int brand;

    if (request->cc)
        return cua_cc_parse(request->cc);
    if (request->gpu)
        cua_data_gpu_by_model(cua_data_for(&cua_here), cua_gpu_name(request->gpu), &brand, &cc);
    return cc;
}

/* Of the visible GPUs the one of the highest capability. */
static unsigned machine_cc(const struct cua_facts *facts)
{
    unsigned cc = 0;

    for (size_t i = 0; i < facts->gpu_count; i++)
        if (facts->gpus[i].visible && facts->gpus[i].cc > cc)
            cc = facts->gpus[i].cc;
    return cc;
}

static int take_libcuda(struct cua_code_machine *machine, const char *file)
{
    static char real[PATH_MAX];
    struct cua_umd *umd = &machine->named;
    struct stat st;

    if (!realpath(file, real) || cua_stat(real, &st) != 0) {
        cua_complain(file, "%s", strerror(errno));
        return CUA_EXIT_USAGE;
    }
    umd->real = umd->path = real;
    cua_identify(umd, &cua_here, &st, cua_elf_own_machine());
    if (umd->state != CUA_UMD_USABLE) {
        cua_complain(file, "no libcuda that can be used%s%s", umd->trouble[0] ? ": " : "",
                     umd->trouble);
        return CUA_EXIT_USAGE;
    }
    if (!umd->cuda)
        umd->cuda = cua_data_umd_cuda(cua_data_for(&cua_here), &umd->version);
    machine->driver = umd;
    return 0;
}

int cua_code_machine(struct cua_code_machine *machine, const struct cua_code_request *request)
{
    const bool named = request->cuda || request->libcuda;
    const char *const gpu = request->gpu ? cua_gpu_name(request->gpu) : NULL;
    const struct cua_overrides overrides = {
        .kmd = request->kmd,
        .mounted = request->kmd,
        .gpu = &gpu,
        .gpu_count = gpu ? 1 : 0,
        .cc = &request->cc,
        .cc_count = request->cc ? 1 : 0,
    };
    struct cua_report *report = &machine->report;
    const struct cua_umd *chosen;
    unsigned cc = named_cc(request);

    if (request->libcuda && take_libcuda(machine, request->libcuda))
        return CUA_EXIT_USAGE;
    if (!cua_status_of(report, &overrides, request->sysroot))
        return CUA_EXIT_USAGE;
    machine->subject = report->subject;
    chosen = report->verdict.chosen ? report->verdict.chosen : report->facts.loader;
    cc = cc ? cc : machine_cc(&report->facts);
    if (!named)
        machine->driver = chosen;
    cua_code_target_of(&machine->target, cc, machine->driver,
                       named ? &cua_here : &machine->subject);
    if (request->cuda) {
        machine->target.cuda = cua_cuda_parse(request->cuda);
        cua_code_target_ptx(&machine->target, 0);
    }
    return 0;
}

const struct cua_umd *cua_code_better(const struct cua_code_machine *machine, unsigned cuda)
{
    const struct cua_facts *facts = &machine->report.facts;
    const struct cua_umd *best = NULL;
    struct cua_fate fate;

    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        if (umd == machine->driver || umd->state != CUA_UMD_USABLE || umd->cuda < cuda)
            continue;
        cua_fate(&fate, facts, umd, false);
        if (fate.works != CUA_WORKS_NO && (!best || umd->cuda > best->cuda))
            best = umd;
    }
    return best;
}
