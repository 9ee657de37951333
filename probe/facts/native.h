/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which UMD (user-mode driver, a libcuda) is native: the kernel driver's own. */
#ifndef CUA_NATIVE_H
#define CUA_NATIVE_H

#include "facts/facts.h"

/* Whether a UMD belongs to this kernel driver by its own properties, regardless of where it lies
 * and who could have put it there. On Linux: it has the kernel driver's version and is not Tegra's,
 * in a compat folder or not. On WSL: it lies below /usr/lib/wsl, which WSL itself mounts. On Tegra:
 * it is Tegra's and not a compat build. A version taken from the name of a mount point counts: see
 * version_doubtful. */
bool cua_is_native(const struct cua_facts *facts, const struct cua_umd *umd);

/* Whether a native UMD may also replace the loader's choice: it is trusted, usable, and its version
 * is not in doubt. */
bool cua_may_be_native(const struct cua_facts *facts, const struct cua_umd *umd);

/* The best UMD of those that may be native: the loader's choice, else a mounted one, else one in an
 * ordinary folder, else the first by path. NULL: none. */
const struct cua_umd *cua_find_native(const struct cua_facts *facts);

#endif
