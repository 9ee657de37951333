/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other objects that define a function which shim or engine import. Such a function may need its
 * object's constructors first, or change the environment before libc has it, so the shim does
 * nothing beside them until all constructors have run.
 */
#ifndef CUA_COMPANY_H
#define CUA_COMPANY_H

#include "process.h"

/* Does an object before libc define one? `is_linked`: the engine is about to be asked. Else only
 * objects with constructors of their own count, and not the program: it opens nothing before they
 * have run. */
bool cua_company(bool is_linked);

/* Calls `then` once, when all constructors have run. False if the program does not start by libc's
 * __libc_start_main, so that nobody knows when that is. */
bool cua_before_main(const struct cua_process *process, void (*then)(void));

#endif
