/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU and the driver that `cuarbiter code` looks for. */
#ifndef CUA_CODE_MACHINE_H
#define CUA_CODE_MACHINE_H

#include "command/code/target.h"
#include "command/status/report.h"

struct cua_code_request {
    const char *gpu, *cc;             /* of the command line; NULL: the machine's */
    const char *kmd, *cuda, *libcuda; /* at most one of them */
    const char *sysroot;
};

struct cua_code_machine {
    struct cua_report report;   /* all zero where the request names GPU and driver */
    struct cua_subject subject; /* whose files are looked at */
    struct cua_code_target target;
    struct cua_umd named;         /* --libcuda */
    const struct cua_umd *driver; /* NULL: not known, or only its CUDA is */
};

/* 0, or CUA_EXIT_USAGE after a complaint; freed by cua_report_free(). Zeroed before. */
int cua_code_machine(struct cua_code_machine *machine, const struct cua_code_request *request);

/* The target for a GPU and a libcuda; NULL: not known. Opens the driver's compiler, which lies
 * beside it. */
void cua_code_target_of(struct cua_code_target *target, unsigned cc, const struct cua_umd *driver,
                        const struct cua_subject *subject);

/* A bundled libcuda other than the chosen one that takes PTX and packing of this CUDA and does not
 * surely fail; NULL. */
const struct cua_umd *cua_code_better(const struct cua_code_machine *machine, unsigned cuda);

#endif
