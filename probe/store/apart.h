/* SPDX-License-Identifier: Apache-2.0 */
/* Takes away the rights of a child process that reads untrusted input. A child of root becomes the
 * user nobody, without capabilities. No child can gain rights by executing a program. */
#ifndef CUA_APART_H
#define CUA_APART_H

/* To be called in the child. `alone`: the child may start no process and write no file, and gets at
 * most `memory` bytes more than it has now and ten minutes of processor time. In a user namespace
 * that maps only one user, a child of root cannot become nobody and only gives up its
 * capabilities. */
void cua_apart(int alone, unsigned long memory);

#endif
