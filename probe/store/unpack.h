/* SPDX-License-Identifier: Apache-2.0 */
/* Sends the files of an archive as a stream (member.h). The archive may be a tar, compressed or
 * not, a .deb, .rpm or .conda. It is read in a child process without rights, which sends names and
 * contents through a pipe. */
#ifndef CUA_UNPACK_H
#define CUA_UNPACK_H

/* Call it in this child. It takes away the child's rights (apart.h), and never returns. Writes the
 * files of the archive `fd` that cua_member_of accepts to the pipe `out`; if it fails, writes the
 * reason, unless it fails in the middle of a file: then the stream only ends early. */
void cua_unpack(int fd, int out) __attribute__((noreturn));

#endif
