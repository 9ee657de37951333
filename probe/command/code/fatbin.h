/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers of GPU code ("fat binaries"), as nvcc and fatbinary write them: which entries they
 * hold. Headers alone are read, by pread: nothing is mapped or unpacked, and the memory that this
 * takes does not depend on the file. The layout is not documented; it was read from files that
 * NVIDIA's fatbinary 13.0 made and agrees with cuobjdump (tests/code/real.py).
 */
#ifndef CUA_CODE_FATBIN_H
#define CUA_CODE_FATBIN_H

#include <stdbool.h>
#include <stdint.h>

enum cua_code_kind { CUA_CODE_OTHER, CUA_CODE_PTX, CUA_CODE_ELF };
enum cua_code_packed { CUA_PACKED_NONE, CUA_PACKED_LZ4, CUA_PACKED_ZSTD, CUA_PACKED_OTHER };

struct cua_code_entry {
    enum cua_code_kind kind;
    enum cua_code_packed packed;
    unsigned sm;      /* 90 for sm_90a */
    char suffix;      /* 'a': for that capability alone, 'f': for its family; 0 */
    unsigned version; /* of the PTX ISA: 87 for 8.7; nothing for other kinds */
    bool empty;       /* PTX too short to hold a kernel */
};

/* What is found, in the order of the file: the entries of a module (one container), then its end.
 * `broken`: a container that contradicts itself; entries before the damage were reported. */
struct cua_code_visitor {
    void (*entry)(void *data, const struct cua_code_entry *entry);
    void (*module)(void *data, bool broken);
    void *data;
};

/* `size` bytes at an offset, all of them or false. */
bool cua_code_read(int fd, void *to, uint64_t size, uint64_t at);

/* Whether a file that starts with these 8 bytes is such a container. */
bool cua_is_fatbin(const void *start);

/* The containers in [at, end) of a file, none of which may reach beyond `end`. `mixed`: other data
 * lies between them, so that what only resembles the start of one is none. False where the file
 * could not be read to that end. */
bool cua_fatbin_scan(int fd, uint64_t at, uint64_t end, bool mixed,
                     const struct cua_code_visitor *visitor);

#endif
