/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the archive whose driver would run a program on a machine. Only NVIDIA's archives that
 * data/packages.tsv lists are considered. Judges by the rules (rules/), without fetching an archive
 * or loading a driver. */
#ifndef CUA_SUIT_H
#define CUA_SUIT_H

#include "command/whatif.h"
#include "store/package.h"

struct cua_suit {
    const struct cua_package *package; /* NULL: none; `why` has the reason */
    unsigned cuda;                     /* CUDA of the program; 0: not known */
    /* CUDA of the kernel driver's own libcuda; 0: not known, there is no kernel driver, or this is
     * WSL or a Tegra. */
    unsigned native;
    /* One sentence without a period: where the package runs, or why there is none. */
    char why[400];
};

/* Chooses an archive. These facts must have been gathered: the kernel driver, the GPUs, the tables
 * (tables/tables.h), the program's CUDA, and whether an MPS daemon runs.
 *
 * Chooses none if the kernel driver's own libcuda has the program's CUDA major or a later one:
 * another minor version is no reason to add a driver. Otherwise considers the archives of the
 * program's CUDA major whose driver is newer than the kernel driver and certain to work on every
 * GPU. Order of preference:
 * - the lowest CUDA that is not earlier than the program's
 * - the highest CUDA that is earlier
 * - among archives of the same CUDA, the newest build */
void cua_suit_of(struct cua_suit *suit, const struct cua_facts *facts);
/* Gathers the facts that cua_suit_of needs, of this machine or of the one whose root
 * CUARBITER_SYSROOT names. `overrides` replaces some of them. The caller frees `facts` by
 * cua_facts_free. */
void cua_suit_facts(struct cua_facts *facts, const struct cua_overrides *overrides);
/* Gathers the facts by cua_suit_facts, and finds the archive by cua_suit_of. */
void cua_suit_find(struct cua_suit *suit, const struct cua_overrides *overrides);

/* Writes advice for a user whose program ended with error 35 on this machine: the command that adds
 * a driver, or why no driver would help. False: the CUDA of the kernel driver's own libcuda is not
 * known.
 *
 * The program's CUDA is not known either, so it is assumed: the first version of the next major
 * after that libcuda's, or the image's declared CUDA if that is later. */
bool cua_suit_after_35(char *text, size_t size);
/* Like cua_suit_after_35, but fills in a struct instead of writing a text. */
bool cua_suit_for_35(struct cua_suit *suit);
/* Writes the JSON member "bring": an object with the package's version (null if there is none) and
 * suit->why. If `suit` is NULL, the member is null. */
void cua_suit_json(const struct cua_suit *suit);
/* Writes advice for a user whose program ended with 803 or 804. With cuarbiter, the program starts
 * on the host's driver. But if the image declares a CUDA of a later major than that driver's, the
 * program would get 35 instead, so the text names a driver to add. False: one of the two
 * majors is not known, the image's is not later, or no archive is certain to work on this
 * machine. */
bool cua_suit_after_804(char *text, size_t size);

#endif
