/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers of GPU code ("fat binaries"), as nvcc and fatbinary write them. Headers alone are
 * read, by pread: nothing is mapped or unpacked, and no memory is taken. The layout is not
 * documented; it is that of files from fatbinary 13.0, and tests/code/real.py compares it with what
 * cuobjdump makes of others.
 */
#ifndef CUA_CODE_FATBIN_H
#define CUA_CODE_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cua_code_kind {
    CUA_CODE_OTHER,
    CUA_CODE_PTX,
    CUA_CODE_ELF,
    CUA_CODE_LTO, /* for nvJitLink, no driver */
};
enum cua_code_packed { CUA_PACKED_NONE, CUA_PACKED_LZ4, CUA_PACKED_ZSTD, CUA_PACKED_OTHER };

struct cua_code_entry {
    enum cua_code_kind kind;
    enum cua_code_packed packed;
    unsigned sm;      /* 90 for sm_90a */
    char suffix;      /* 'a': for that capability alone, 'f': for its family; 0 */
    unsigned version; /* of PTX: 87 for 8.7 */
    bool empty;       /* PTX too short to hold a kernel */
};

extern const unsigned char cua_fatbin_magic[8]; /* how a container begins */

/* `size` bytes at an offset, all of them or false. */
bool cua_code_read(int fd, void *to, uint64_t size, uint64_t at);

/* Moves *at to the next of these bytes in [*at, end), to `end` where there are none. False: the
 * file could not be read. */
bool cua_code_find(int fd, uint64_t *at, uint64_t end, const void *bytes, size_t size);

/* The containers in [at, end), none of which reaches beyond it: `take` gets each entry of a module
 * (one container), then NULL. Damage is an entry of another kind. False: could not be read. */
bool cua_fatbin_scan(int fd, uint64_t at, uint64_t end,
                     void (*take)(void *data, const struct cua_code_entry *entry), void *data);

#endif
