/* SPDX-License-Identifier: Apache-2.0 */
/* Sends the files of an archive as a stream (member.h). The archive may be a tar, compressed or
 * not, a .deb, .rpm or .conda. A child without rights reads it, and sends names and contents
 * through a pipe. */
#ifndef CUA_UNPACK_H
#define CUA_UNPACK_H

/* To be called in this child; never returns. Writes the archive's files that cua_member_of accepts
 * to `out`, or the reason of a failure. */
void cua_unpack(int fd, int out) __attribute__((noreturn));

#endif
