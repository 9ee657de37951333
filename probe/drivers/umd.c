/* SPDX-License-Identifier: Apache-2.0 */
/* One libcuda file, and what lies beside it. */
#include "drivers/umd.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "drivers/identity.h"
#include "base/text.h"

/* Else it is the one that is missing. */
static bool is_beside(struct cua_umd *umd, const struct cua_subject *subject, const char *stem,
                      const char *version)
{
    char path[PATH_MAX];
    struct stat st;

    cua_copy(umd->missing, sizeof umd->missing, stem);
    cua_append(umd->missing, sizeof umd->missing, version);
    if (!cua_join(path, sizeof path, cua_umd_folder(umd, path), umd->missing) ||
        cua_real_stat(subject, path, &st) != 0)
        return false;
    umd->missing[0] = 0;
    return true;
}

/*
 * What a driver cannot do without when it compiles PTX, of its own version. From Debian's packages:
 * every driver from 390 to 555 comes with libnvidia-ptxjitcompiler.so.VERSION, those from 525 on
 * with libnvidia-nvvm.so.VERSION (470's is libnvidia-nvvm.so.4.0.0), 390 and 418 need
 * libnvidia-fatbinaryloader.so.VERSION by DT_NEEDED. cuda-compat has the same:
 * JuliaGPU/CUDA.jl#1859, spack#18449.
 */
static void check_companions(struct cua_umd *umd, const struct cua_subject *subject,
                             const char *needs)
{
    const struct cua_version *version = &umd->version;

    umd->companions =
        umd->tegra || umd->state != CUA_UMD_USABLE || !cua_version_known(version) ||
        (is_beside(umd, subject, "libnvidia-ptxjitcompiler.so.", version->text) &&
         (version->part[0] < 525 || is_beside(umd, subject, "libnvidia-nvvm.so.", version->text)) &&
         (!needs[0] || is_beside(umd, subject, needs, "")));
}

void cua_umd_identify(struct cua_umd *umd, const struct cua_subject *subject, const struct stat *st,
                      unsigned machine)
{
    char needs[64] = "";
    int fd;

    if (!S_ISREG(st->st_mode)) {
        umd->state = CUA_UMD_DAMAGED;
        snprintf(umd->trouble, sizeof umd->trouble, "%s",
                 S_ISDIR(st->st_mode) ? "a folder" : "no regular file");
        return;
    }
    fd = cua_real_open(subject, umd->real);
    if (fd < 0) {
        umd->state = CUA_UMD_UNREADABLE;
        snprintf(umd->trouble, sizeof umd->trouble, "%s", strerror(-fd));
        return;
    }
    cua_identity_read(umd, fd, machine, needs, sizeof needs);
    close(fd);
    umd->cuda = umd->note.present ? umd->note.cuda : 0;
    check_companions(umd, subject, needs);
}
