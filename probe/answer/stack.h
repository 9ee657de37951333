/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUA_STACK_H
#define CUA_STACK_H

/* Calls work(arg) on a stack that is large enough for it; on the caller's where there is no memory.
 */
void cua_on_own_stack(void (*work)(void *arg), void *arg);

#endif
