/* SPDX-License-Identifier: Apache-2.0 */
/* For programs of a later CUDA than the host's driver ("A later major version" and "A later minor
 * version" in docs/how-it-decides.md): finds the program's CUDA, and checks whether a bundled
 * driver, which the image brings, suits it and may replace a host's driver that works. Pure
 * functions. */
#ifndef CUA_NEED_H
#define CUA_NEED_H

#include "facts/facts.h"

/* The CUDA that the program needs: the lowest among the runtimes and compilers whose exact version
 * is known (`exact`). If there are none, it is what the image declares, unless a runtime is of
 * another major. */
struct cua_need {
    unsigned cuda; /* 0: not known */
    bool exact;
};
struct cua_need cua_need(const struct cua_facts *facts);

/* cua_fits_major: whether a bundled driver suits a program of a later major. It must have its
 * companions (libraries that libcuda opens, such as the PTX compiler), and its CUDA major must not
 * be earlier than the program's. cua_fits_minor: the same for a later minor, where more must hold.
 * The driver must lie where NVIDIA's hook or NGC's entry point looks. Its CUDA must not be earlier
 * than the program's; if only the image declares the program's CUDA, both must be the same. No
 * library may be in use whose counterpart the driver may lack (graphics, video). Neither function
 * checks whether the driver works. */
bool cua_fits_major(const struct cua_facts *facts, const struct cua_umd *umd);
bool cua_fits_minor(const struct cua_facts *facts, const struct cua_umd *umd);

/* Whether a GPU is split into parts (MIG), or the machine is a confidential VM. It is not known
 * whether forward compatibility works there, so a driver that works is kept. */
bool cua_is_part_or_sealed(const struct cua_facts *facts);

#endif
