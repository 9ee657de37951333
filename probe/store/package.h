/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA's archives that data/packages.tsv lists, with their checksums. */
#ifndef CUA_PACKAGE_H
#define CUA_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sha256.h"
#include "base/version.h"

enum cua_package_kind { CUA_PACKAGE_COMPAT, CUA_PACKAGE_DRIVER };

struct cua_package {
    struct cua_version version;
    unsigned cuda; /* for example 13020 for CUDA 13.2 */
    char arch[8];  /* "x86_64", "sbsa" */
    enum cua_package_kind kind;
    char sha256[CUA_SHA256_TEXT];
};

extern const struct cua_package cua_packages[];
extern const size_t cua_package_count;

/* The addresses of NVIDIA's archives and of their licence. */
#define CUA_PACKAGE_BASE    "https://developer.download.nvidia.com/compute/cuda/redist"
#define CUA_PACKAGE_LICENCE "https://docs.nvidia.com/cuda/eula/"

/* This machine's architecture, as data/packages.tsv names it. */
const char *cua_package_arch(void);

/* Find the archive for a CUDA version, a driver version or a checksum; NULL if none is listed. If
 * several match, the first two functions return the one with the newest driver version. If that
 * version has two archives, they return the compat package, which is smaller. */
const struct cua_package *cua_package_by_cuda(const char *arch, unsigned cuda);
const struct cua_package *cua_package_by_version(const char *arch,
                                                 const struct cua_version *version);
const struct cua_package *cua_package_by_sum(const char *sha256);

const char *cua_package_kind_word(enum cua_package_kind kind);

/* Writes the archive's address, which begins with `base`, to `out`; false if it does not fit. */
bool cua_package_url(const struct cua_package *package, const char *base, char *out, size_t size);

#endif
