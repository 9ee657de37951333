/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/target.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "command/code/judge.h"
#include "command/code/scan.h"

void cua_code_target_of(struct cua_code_target *target, const struct cua_report *report,
                        const struct cua_umd *driver)
{
    const struct cua_facts *facts = &report->facts;
    char path[PATH_MAX];
    struct cua_code code = {.path = path};

    memset(target, 0, sizeof *target);
    target->cuda = driver ? driver->cuda : 0;
    for (size_t i = 0; i < facts->gpu_count; i++)
        if (facts->gpus[i].visible && facts->gpus[i].cc > target->cc) {
            target->cc = facts->gpus[i].cc;
            snprintf(target->gpu, sizeof target->gpu, "%.60s", facts->gpus[i].model);
        }
    /* libcuda loads its PTX compiler by this name. */
    if (driver &&
        cua_join(path, sizeof path, cua_umd_folder(driver, path), "libnvidia-ptxjitcompiler.so.1"))
        cua_code_scan(&code, cua_real_open(&report->subject, path));
    target->own = code.compiler;
    target->compiler = code.compiler ? code.compiler : target->cuda;
    cua_code_free(&code);
}
