/* SPDX-License-Identifier: Apache-2.0 */
/* Sends the files of an archive as a stream. The archive may be a tar in any packing, a .deb, .rpm
 * or .conda. It is read in a child without rights, which sends names and contents through a
 * pipe. */
#ifndef CUA_UNPACK_H
#define CUA_UNPACK_H

/* Never returns. Writes the files that cua_member_of accepts to `out`, or the reason why that
 * failed. */
void cua_unpack(int fd, int out) __attribute__((noreturn));

#endif
