/* SPDX-License-Identifier: Apache-2.0 */
/* The grade of a piece of evidence: how far it is trusted. Of two pieces on one question, the one
 * of the higher grade normally decides. Reports of runs that contradict each other do not count.
 * docs/how-it-decides.md says what each grade may decide. */
#ifndef CUA_GRADE_H
#define CUA_GRADE_H

enum cua_works { CUA_WORKS_UNKNOWN, CUA_WORKS_YES, CUA_WORKS_NO };

enum cua_grade {
    CUA_GRADE_NONE,     /* nothing is known */
    CUA_GRADE_GUESS,    /* inferred; decides nothing without a trial */
    CUA_GRADE_DECLARED, /* an image or NVIDIA's documentation says it */
    /* A run with the same driver branches, brand or compute capability was reported (cua_data_ran
     * in tables/tables.h). */
    CUA_GRADE_MEASURED,
    CUA_GRADE_NOTE, /* the ELF note in the driver's own file (elf/compat_note.h) */
};

#endif
