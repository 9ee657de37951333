/* SPDX-License-Identifier: Apache-2.0 */
/* How good a piece of evidence is. The higher grade counts. If two pieces of the same grade
 * contradict each other, the question stays open. docs/how-it-decides.md says what each grade may
 * decide. */
#ifndef CUA_GRADE_H
#define CUA_GRADE_H

enum cua_works { CUA_WORKS_UNKNOWN, CUA_WORKS_YES, CUA_WORKS_NO };

enum cua_grade {
    CUA_GRADE_NONE,     /* nothing is known */
    CUA_GRADE_GUESS,    /* inferred; decides nothing */
    CUA_GRADE_DECLARED, /* an image or NVIDIA's documentation says so */
    /* Somebody ran the same driver branches on the same brand or compute capability. */
    CUA_GRADE_MEASURED,
    CUA_GRADE_NOTE, /* the file's own note */
};

#endif
