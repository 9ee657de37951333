/* SPDX-License-Identifier: Apache-2.0 */
/* One run of `cuarbiter code`: its options, and the files it has examined. */
#ifndef CUA_CODE_LOOK_H
#define CUA_CODE_LOOK_H

#include "command/code/model.h"
#include "command/status/report.h"
#include "elf/file.h"

#define CUA_CODE_GPUS    16
#define CUA_CODE_DRIVERS 16
#define CUA_CODE_IGNORED 64

/* A file, and the group that it is reported in: its Python package (by the package's RECORD), its
 * archive, or the path on the command line. */
struct cua_code_file {
    struct cua_code code; /* its path is owned by this struct */
    const char *group;
};

struct cua_code_look {
    struct cua_report report;
    const struct cua_subject *place; /* the files' paths lie below the root of this subject */
    const struct cua_umd *driver;    /* the libcuda; NULL: none is usable, or --cuda is given */
    struct cua_elf libcuda;          /* the file given by --libcuda */
    struct cua_code_target *target;  /* the pairs of GPU and driver to judge for */
    size_t targets;
    /* The first target's GPU and driver are those of the report, because they are not given by
     * --cuda, --cc or --libcuda. */
    bool machine;
    const char *ignored[CUA_CODE_IGNORED];
    size_t ignores;
    unsigned fail_on; /* bits 1 << enum cua_code_end, from --fail-on */
    bool strict; /* --fail-on was given, so 209 counts even if another file of the group serves */
    bool all, list, json;

    /* The files to report. cua_code_walked sorts them by group. Within a group, those with the
     * worst result come first. */
    struct cua_code_file *file;
    size_t files;
    bool failed; /* a file, folder or archive could not be examined, or only in part */
    char **info; /* real paths of the .dist-info folders, where packages' RECORD files are */
    size_t infos;
};

#endif
