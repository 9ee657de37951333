/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which UMD (user-mode driver, a libcuda) is native: the kernel driver's own. */
#ifndef CUA_NATIVE_H
#define CUA_NATIVE_H

#include "facts/facts.h"

/* Whether a UMD is usable and belongs to this kernel driver. Does not check whether the UMD is
 * trusted, or whether its version is in doubt (version_doubtful).
 * - Linux: it has the kernel driver's version and is not Tegra's. It may lie in a compat folder.
 * - WSL: it lies below /usr/lib/wsl, which WSL itself mounts.
 * - Tegra: it is Tegra's, has no ELF note of a compat build, and lies in no compat folder. */
bool cua_is_native(const struct cua_facts *facts, const struct cua_umd *umd);

/* Whether a UMD is native and may replace what ld.so would take: its version is not in doubt, and
 * it is trusted or is itself what ld.so would take. */
bool cua_may_be_native(const struct cua_facts *facts, const struct cua_umd *umd);

/* Returns the best UMD of those that cua_may_be_native accepts; NULL: none. These criteria decide,
 * the most important first: it is the file that ld.so would take; it lies outside compat folders;
 * it is mounted; it is in ld.so's cache or default folders; its path sorts first. */
const struct cua_umd *cua_find_native(const struct cua_facts *facts);

#endif
