/* SPDX-License-Identifier: Apache-2.0 */
/* Which of libcuda's functions a file needs that a libcuda has not. */
#ifndef CUA_CODE_NEEDS_H
#define CUA_CODE_NEEDS_H

/* Their names, with ", " between, at most 16; NULL: none, or the file does not need libcuda. To be
 * freed. The descriptor stays the caller's. */
char *cua_code_lacks(int fd, const char *libcuda);

#endif
