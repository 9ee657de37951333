/* SPDX-License-Identifier: Apache-2.0 */
/* Writing inside somebody else's process: no signal comes of it, and nothing is left half done. */
#ifndef CUA_PUT_H
#define CUA_PUT_H

#include <stdbool.h>
#include <stddef.h>

/* One write(2). A pipe that nobody reads and a limit on file sizes bring no signal. False where not
 * all of it was written. */
bool cua_put(int fd, const void *bytes, size_t size);

/* A small file in an open folder, by rename: what is found under `name` is the old one or the new
 * one. Mode 0600. 0 or -errno. */
int cua_put_entry(int folder, const char *name, const void *bytes, size_t size);

#endif
