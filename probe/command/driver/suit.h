/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the archive in data/packages.tsv whose driver would run a program on a machine, judged by
 * the rules. Nothing is loaded, fetched or tried. */
#ifndef CUA_SUIT_H
#define CUA_SUIT_H

#include "command/whatif.h"
#include "store/package.h"

struct cua_suit {
    const struct cua_package *package; /* NULL: no archive certainly suits */
    unsigned cuda;                     /* CUDA of the program; 0: not known */
    /* CUDA of the kernel driver; 0: not known, or there is none. */
    unsigned native;
    /* One sentence: where the package runs, why none would do, or why none is needed. */
    char why[400];
};

/* Judges by four facts, which must have been asked for: the kernel driver, the GPUs, the tables and
 * the program's CUDA. Considers the drivers that certainly work on every GPU. Takes the one with
 * the lowest CUDA that is not earlier than the program's, and of that CUDA the newest build; if
 * there is none, the one with the highest CUDA of the program's major. Takes none if the kernel
 * driver's own libcuda is of that major: another minor version is no reason to bring a driver. */
void cua_suit_of(struct cua_suit *suit, const struct cua_facts *facts);
/* Gathers these four facts of this machine, and whether an MPS daemon runs; `overrides` replaces
 * some. The caller frees `facts`. */
void cua_suit_facts(struct cua_facts *facts, const struct cua_overrides *overrides);
/* Finds the archive for that machine. */
void cua_suit_find(struct cua_suit *suit, const struct cua_overrides *overrides);

/* Writes advice for a user whose program ended with error 35 on this machine: the command that
 * brings a driver, or why no driver would work. Since the program is not known, its CUDA is assumed
 * to be of the major after the kernel driver's, or of the image's if that is later. False: the
 * kernel driver is not known. */
bool cua_suit_after_35(char *text, size_t size);
/* The same as a struct; false: the kernel driver is not known. */
bool cua_suit_for_35(struct cua_suit *suit);
/* Writes the JSON member "bring": the version, "" if there is none, and why; NULL: null. */
void cua_suit_json(const struct cua_suit *suit);
/* Writes advice for a user whose program ended with 803 or 804. With cuarbiter it starts on the
 * host's driver. But if the image's CUDA is of a later major than that driver's, the program would
 * get 35 instead, so the text names a driver to add. False: the major is not later, or no archive
 * would work there. */
bool cua_suit_after_804(char *text, size_t size);

#endif
