/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the fields of protobuf messages: as much of the format as NRI needs. */
#ifndef CUA_NRI_PROTOBUF_H
#define CUA_NRI_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes in a buffer that the caller owns: a message, or the part of a message that was not read
 * yet. */
struct cua_bytes {
    const unsigned char *at;
    size_t size;
};

struct cua_field {
    uint32_t number;
    uint64_t value;         /* value of a varint field; else 0 */
    struct cua_bytes bytes; /* content of a text or message field; else empty */
};

/* Reads the next field of `message`, and moves `message` past it. Returns 1: done; 0: no field is
 * left; -EBADMSG: the message is damaged. */
int cua_field_next(struct cua_bytes *message, struct cua_field *field);

/* Whether the bytes are exactly this text, without its NUL. */
bool cua_bytes_are(struct cua_bytes bytes, const char *text);

/* A message that is being written. If a field does not fit, `full` is set: then the message is not
 * complete and must not be sent. */
struct cua_message {
    size_t size;
    bool full;
    unsigned char bytes[16384];
};

void cua_proto_number(struct cua_message *message, uint32_t number, uint64_t value);
void cua_proto_bytes(struct cua_message *message, uint32_t number, const void *bytes, size_t size);
void cua_proto_text(struct cua_message *message, uint32_t number, const char *text);

/* Turns the message into an outer message whose only field, `number`, contains the old message. */
void cua_proto_around(struct cua_message *message, uint32_t number);

#endif
