/* SPDX-License-Identifier: Apache-2.0 */
/* Which files of an archive or a folder are taken into a store of drivers (folder.h), and the
 * stream in which a child process that unpacks an archive (unpack.h) sends them. */
#ifndef CUA_MEMBER_H
#define CUA_MEMBER_H

#include <stdbool.h>
#include <stdint.h>

#define CUA_MEMBER_NAME   256
#define CUA_MEMBERS_MOST  128
#define CUA_MEMBER_BYTES  (2ull << 30) /* limit for one library */
#define CUA_MEMBERS_BYTES (4ull << 30) /* limit for all libraries that are taken */
#define CUA_LICENCE_BYTES (1ull << 20) /* limit for a licence and for a manifest */
#define CUA_ARCHIVE_FILES 20000        /* most files in an archive */
/* Limit for all files of an archive, unpacked, whether they are taken or not. */
#define CUA_ARCHIVE_BYTES  (16ull << 30)
#define CUA_DOWNLOAD_BYTES (3ull << 30)
#define CUA_LICENCE        "LICENSE"

enum cua_member { CUA_MEMBER_NONE, CUA_MEMBER_LIBRARY, CUA_MEMBER_LICENCE, CUA_MEMBER_MANIFEST };

/* The kind of a file, by its name without folders. A library is libcuda or one of its companions
 * (libraries that libcuda opens, such as the PTX compiler), with the name that drivers use and a
 * number after ".so.". A library that only works with a kernel driver of its own version, such as
 * NVML, is CUA_MEMBER_NONE. A manifest is that of a driver which was exported from a store. */
enum cua_member cua_member_of(const char *name);

/* What the child that unpacks writes to its pipe for each file: a head, then `name` bytes (the path
 * in the archive), then `size` bytes (the content). After CUA_STREAM_FAILED the `name` bytes are an
 * error message. A stream that does not end with CUA_STREAM_END is incomplete. */
enum cua_stream_kind { CUA_STREAM_FILE = 1, CUA_STREAM_END, CUA_STREAM_FAILED };
struct cua_stream_head {
    uint32_t kind, name;
    uint64_t size;
};

/* Write or read all `size` bytes; false if that fails or the file ends before. */
bool cua_write_all(int fd, const void *bytes, uint64_t size);
bool cua_read_all(int fd, void *bytes, uint64_t size);

#endif
