/* SPDX-License-Identifier: Apache-2.0 */
/* Takes away the rights of a child process that reads untrusted input. A child of root becomes the
 * user nobody, without capabilities. No child can gain rights by executing a program. */
#ifndef CUA_APART_H
#define CUA_APART_H

/* Call it in the child. If `alone`, the child may start no process and write no file; it gets ten
 * minutes of processor time, and at most `memory` bytes more than it has now. In a user namespace
 * that maps only one user, a child of root cannot become nobody and only gives up its
 * capabilities. */
void cua_apart(int alone, unsigned long memory);

#endif
