/* SPDX-License-Identifier: Apache-2.0 */
/* Other objects that define a function which shim or engine import. Such a function may need
 * constructors first, its object's or another's, or change the environment before libc has it, so
 * the shim does nothing beside them until all constructors have run. One of a program, or of what
 * it is linked with, may mean something else altogether. */
#ifndef CUA_COMPANY_H
#define CUA_COMPANY_H

#include "process.h"

enum cua_company {
    CUA_ALONE,    /* no object before libc defines one */
    CUA_LATE,     /* those that do work once the libraries' constructors have run */
    CUA_LATER,    /* once the program's have run too */
    CUA_STRANGER, /* the program or a needed library does, for whatever */
};

/* `is_linked`: the engine is about to be opened. Else another dlopen does not count. */
enum cua_company cua_company(bool is_linked);

/* Calls `then` once, when the company can work. False if the program does not start by libc's
 * __libc_start_main, so that nobody knows when that is. */
bool cua_before_main(const struct cua_process *process, enum cua_company company,
                     void (*then)(void));

/* Does the call come from a library that has such a function? It may hold a lock of its own now,
 * which that function takes. Not if it has a dlopen too, through which other callers come. */
bool cua_company_calls(const void *caller);

#endif
