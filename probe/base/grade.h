/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a piece of evidence says, and how good it is. The higher grade counts; two of one grade that
 * differ leave the question open. docs/how-it-decides.md says what each may decide. */
#ifndef CUA_GRADE_H
#define CUA_GRADE_H

enum cua_works { CUA_WORKS_UNKNOWN, CUA_WORKS_YES, CUA_WORKS_NO };

enum cua_grade {
    CUA_GRADE_NONE,     /* nothing is known */
    CUA_GRADE_GUESS,    /* inferred: decides nothing */
    CUA_GRADE_DECLARED, /* an image or NVIDIA's documentation says so */
    CUA_GRADE_MEASURED, /* somebody ran it: same branches, same brand or capability */
    CUA_GRADE_NOTE,     /* the file's own note */
};

#endif
