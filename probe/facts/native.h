/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which UMD (user-mode driver, a libcuda) is native: the kernel driver's own. */
#ifndef CUA_NATIVE_H
#define CUA_NATIVE_H

#include "facts/facts.h"

/* Whether a UMD is usable and belongs to this kernel driver; who could have put it there does not
 * matter. On Linux: it has the kernel driver's version and is not Tegra's; it may lie in a compat
 * folder. On WSL: it lies below /usr/lib/wsl, which WSL itself mounts. On Tegra: it is Tegra's, has
 * no ELF note of a compat build, and lies in no compat folder. A version that is in doubt
 * (version_doubtful) is taken as it is. */
bool cua_is_native(const struct cua_facts *facts, const struct cua_umd *umd);

/* Whether a UMD is native and may replace what ld.so would take: its version is not in doubt, and
 * it is trusted or is itself what ld.so would take. */
bool cua_may_be_native(const struct cua_facts *facts, const struct cua_umd *umd);

/* Returns the best UMD of those that cua_may_be_native accepts; NULL: none. The file that ld.so
 * would take comes first. Of the others, those outside compat folders come before those inside;
 * among these, mounted files come first, then those in ld.so's cache or default folders, then the
 * first by path. */
const struct cua_umd *cua_find_native(const struct cua_facts *facts);

#endif
