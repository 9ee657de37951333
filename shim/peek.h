/* SPDX-License-Identifier: Apache-2.0 */
/* Reads memory of this process that another thread may unmap meanwhile: the kernel copies it, and
 * returns an error instead of a fault. Call these functions only in the keeper (keeper.h): they may
 * open a pipe, which the program must not see, and the keeper has its own descriptor table. */
#ifndef CUA_PEEK_H
#define CUA_PEEK_H

#include <stdbool.h>
#include <stddef.h>

struct cua_peek {
    int pipe[2]; /* used if process_vm_readv(2) is refused */
    /* True once process_vm_readv was refused. */
    bool pipes;
};

/* Returns whether all `size` bytes were copied. */
bool cua_peek(struct cua_peek *peek, void *to, const void *from, size_t size);

/* Copies a text and its NUL. If the text is too long, copies only its first `room` bytes, without a
 * NUL. Returns the number of bytes copied; 0 if the text cannot be read. */
size_t cua_peek_text(struct cua_peek *peek, char *to, size_t room, const char *from);

#endif
