/* SPDX-License-Identifier: Apache-2.0 */
/* Fetches a file with curl(1), in a child without rights (apart.h). curl handles proxies,
 * certificates and redirects itself; its configuration files are not read. */
#ifndef CUA_FETCH_H
#define CUA_FETCH_H

#include <stdbool.h>
#include <stddef.h>

/* Downloads `url`, at most CUA_DOWNLOAD_BYTES, to `fd`, an empty file. Resumes a transfer that
 * breaks off, a few times. `http`: allow http as well as https. `bar`: show curl's progress bar on
 * stderr. On failure returns false; `why` (`size` bytes) has the reason, and the file holds what
 * arrived. */
bool cua_fetch(const char *url, bool http, bool bar, int fd, char *why, size_t size);

#endif
