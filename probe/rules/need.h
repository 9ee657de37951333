/* SPDX-License-Identifier: Apache-2.0 */
/* For programs of a later CUDA than the host's driver ("A later major version" in
 * docs/how-it-decides.md): finds the program's CUDA, and the bundled driver of that CUDA that may
 * replace a host's driver that works. Pure. */
#ifndef CUA_NEED_H
#define CUA_NEED_H

#include "facts/facts.h"

/* The CUDA that the program needs: the lowest among the runtimes and compilers whose exact version
 * is known; if there are none, what the image declares, unless a runtime is of another major. */
struct cua_need {
    unsigned cuda; /* 0: not known */
    bool exact;
};
struct cua_need cua_need(const struct cua_facts *facts);

/* cua_fits_major: whether a bundled driver suits a program of a later major, apart from how it is
 * known to work. cua_fits_minor: the same for a later minor; then it must also lie where NVIDIA's
 * hook or NGC's entry point looks, be of the image's own CUDA if only the image shows which CUDA is
 * needed, and no library may be in use whose counterpart it may lack. */
bool cua_fits_major(const struct cua_facts *facts, const struct cua_umd *umd);
bool cua_fits_minor(const struct cua_facts *facts, const struct cua_umd *umd);

/* Whether a GPU is split into parts, or the machine is confidential: no report shows whether
 * forward compatibility works there. */
bool cua_is_part_or_sealed(const struct cua_facts *facts);

#endif
