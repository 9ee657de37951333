/* SPDX-License-Identifier: Apache-2.0 */
/* For programs of a later CUDA than the host's driver: finds the CUDA that the program needs, and
 * checks whether a bundled driver (one that is part of the image) suits the program. See "A later
 * major version" and "A later minor version" in docs/how-it-decides.md. Pure functions. */
#ifndef CUA_NEED_H
#define CUA_NEED_H

#include "facts/facts.h"

/* The CUDA that the program needs. If the exact version of the lowest runtime or of a compiler is
 * known, the lower of these counts, and `exact` is true. Otherwise the version that the image
 * declares counts. If that contradicts the runtime's major, `cuda` is 0. */
struct cua_need {
    unsigned cuda; /* 0: not known */
    bool exact;
};
struct cua_need cua_need(const struct cua_facts *facts);

/* Whether a bundled driver suits a program of a later major. The driver must have its companions
 * (libraries that libcuda opens, such as the PTX compiler), and its CUDA major must not be earlier
 * than the program's. Does not check whether the driver works. */
bool cua_fits_major(const struct cua_facts *facts, const struct cua_umd *umd);

/* Whether a bundled driver suits a program of a later minor. Does not check whether the driver
 * works. All of these must hold:
 * - The driver has its companions.
 * - The driver lies where NVIDIA's hook or NGC's entry point looks.
 * - The driver's CUDA is not earlier than the program's. If only the image declares the program's
 *   CUDA, both are the same.
 * - The program uses neither graphics nor video, for which the driver may lack libraries. */
bool cua_fits_minor(const struct cua_facts *facts, const struct cua_umd *umd);

/* Whether a GPU is split into parts (MIG), or the machine is a confidential VM. It is not known
 * whether forward compatibility works there, so a driver that works is kept. */
bool cua_is_part_or_sealed(const struct cua_facts *facts);

#endif
