/* SPDX-License-Identifier: Apache-2.0 */
/* The one place that says which UMD is native: the kernel driver's own. */
#ifndef CUA_NATIVE_H
#define CUA_NATIVE_H

#include "facts/facts.h"

/* Whether a UMD belongs to this kernel driver by what it is, wherever it lies and whoever could
 * have put it there. On Linux one of the kernel driver's version that is not Tegra's, in a compat
 * folder or not; on WSL one below /usr/lib/wsl, which WSL itself mounts; on Tegra one of Tegra's
 * that is not a compat build. A version by the name of a mount point counts: see version_doubtful.
 */
bool cua_is_native(const struct cua_facts *facts, const struct cua_umd *umd);

/* Whether it may stand in for the loader's choice too: usable by anybody, and no doubt of its
 * version. */
bool cua_may_be_native(const struct cua_facts *facts, const struct cua_umd *umd);

/* The best of those that may be, of all that are known: the loader's choice, what is mounted, an
 * ordinary folder's, the first by path. NULL: none. */
const struct cua_umd *cua_find_native(const struct cua_facts *facts);

#endif
