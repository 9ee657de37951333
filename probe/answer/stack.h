/* SPDX-License-Identifier: Apache-2.0 */
/* Room for the engine's work, also in a thread with a small stack. */
#ifndef CUA_STACK_H
#define CUA_STACK_H

/* Calls work(arg) on the caller's stack, or on another one where that is too small. Does not call
 * it in a signal handler that runs on a stack of its own, nor where there is no memory for a stack.
 */
void cua_on_roomy_stack(void (*work)(void *arg), void *arg);

#endif
