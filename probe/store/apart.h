/* SPDX-License-Identifier: Apache-2.0 */
/* Takes away the rights of a child that reads input from outside. A child of root becomes nobody,
 * without capabilities; no child gains a right by executing something. */
#ifndef CUA_APART_H
#define CUA_APART_H

/* Call it in the child. `alone`: the child may start no process and write no file, and gets at most
 * `memory` bytes more than it has now and ten minutes of processor time. What cannot be given up
 * (in a user namespace with one user) is kept, except the capabilities. */
void cua_apart(int alone, unsigned long memory);

#endif
