/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/machine.h"

#include <unistd.h>

#include "base/text.h"

void cua_code_target_of(struct cua_code_target *target, unsigned cc, const struct cua_umd *driver,
                        const struct cua_subject *subject)
{
    static const struct cua_code_target nobody;
    char path[PATH_MAX];
    struct cua_code code = {0};

    *target = (struct cua_code_target){.cc = cc, .cuda = driver ? driver->cuda : 0};
    for (int i = 0; driver && !code.compiler && i < 2; i++) {
        int fd = cua_join(path, sizeof path, cua_umd_folder(driver, path),
                          "libnvidia-ptxjitcompiler.so.") &&
                         cua_append(path, sizeof path, i ? "1" : driver->version.text)
                     ? cua_real_open(subject, path)
                     : -1;
        if (fd >= 0) {
            cua_code_scan(&code, fd, path, &nobody, NULL, NULL);
            close(fd);
        }
    }
    target->compiler = code.compiler;
    target->ptx = cua_code_ptx_of(code.compiler ? code.compiler : target->cuda, &target->ptx_sure);
}

const struct cua_umd *cua_code_driver(const struct cua_report *report)
{
    const struct cua_umd *umd = report->facts.umds;

    while (report->policy.libcuda[0] && umd && !(umd->found & CUA_FOUND_NAMED))
        umd = umd->hh.next;
    if (!report->policy.libcuda[0])
        umd = report->verdict.chosen ? report->verdict.chosen : report->facts.loader;
    return umd && umd->state == CUA_UMD_USABLE ? umd : NULL;
}

unsigned cua_code_cc(const struct cua_facts *facts)
{
    unsigned cc = 0;

    for (size_t i = 0; i < facts->gpu_count; i++)
        if (facts->gpus[i].visible && facts->gpus[i].cc > cc)
            cc = facts->gpus[i].cc;
    return cc;
}
