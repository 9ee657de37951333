/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/nri/protobuf.h"

#include <errno.h>
#include <string.h>

/* The encodings of a field's value (wire types). A number before the value has the encoding in its
 * lowest three bits. */
enum { VARINT, FIXED64, LENGTH, FIXED32 = 5 };

/* Reads a varint and moves `from` past it. It has seven bits of the number in each byte, the lowest
 * first; the highest bit of a byte is set if another byte follows. False if the last byte is
 * missing, or if there are more than ten bytes, which no 64-bit number needs. */
static bool take_varint(struct cua_bytes *from, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && from->size; shift += 7) {
        unsigned char byte = *from->at;
        from->at++;
        from->size--;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

int cua_field_next(struct cua_bytes *message, struct cua_field *field)
{
    uint64_t key, size = 0;

    *field = (struct cua_field){0};
    if (!message->size)
        return 0;
    if (!take_varint(message, &key) || key >> 3 == 0 || key >> 3 > UINT32_MAX)
        return -EBADMSG;
    field->number = (uint32_t)(key >> 3);
    switch (key & 7) {
    case VARINT:
        return take_varint(message, &field->value) ? 1 : -EBADMSG;
    case FIXED64:
        size = 8;
        break;
    case FIXED32:
        size = 4;
        break;
    case LENGTH:
        if (take_varint(message, &size))
            break;
        return -EBADMSG;
    default:
        return -EBADMSG;
    }
    if (size > message->size)
        return -EBADMSG;
    if ((key & 7) == LENGTH)
        field->bytes = (struct cua_bytes){message->at, (size_t)size};
    message->at += size;
    message->size -= (size_t)size;
    return 1;
}

bool cua_bytes_are(struct cua_bytes bytes, const char *text)
{
    return bytes.size == strlen(text) && memcmp(bytes.at, text, bytes.size) == 0;
}

static size_t encode(unsigned char *out, uint64_t value)
{
    size_t size = 0;

    for (; value > 0x7f; value >>= 7)
        out[size++] = (unsigned char)(value | 0x80);
    out[size++] = (unsigned char)value;
    return size;
}

static void append(struct cua_message *message, const void *bytes, size_t size)
{
    if (message->full || size > sizeof(message->bytes) - message->size) {
        message->full = true;
        return;
    }
    if (size)
        memcpy(message->bytes + message->size, bytes, size);
    message->size += size;
}

static size_t encode_head(unsigned char *out, uint32_t number, size_t size)
{
    size_t used = encode(out, (uint64_t)number << 3 | LENGTH);

    return used + encode(out + used, size);
}

void cua_proto_number(struct cua_message *message, uint32_t number, uint64_t value)
{
    unsigned char bytes[20];
    size_t used = encode(bytes, (uint64_t)number << 3 | VARINT);

    append(message, bytes, used + encode(bytes + used, value));
}

void cua_proto_bytes(struct cua_message *message, uint32_t number, const void *bytes, size_t size)
{
    unsigned char head[20];

    append(message, head, encode_head(head, number, size));
    append(message, bytes, size);
}

void cua_proto_text(struct cua_message *message, uint32_t number, const char *text)
{
    cua_proto_bytes(message, number, text, strlen(text));
}

void cua_proto_around(struct cua_message *message, uint32_t number)
{
    unsigned char head[20];
    size_t used = encode_head(head, number, message->size);

    if (message->full || used > sizeof(message->bytes) - message->size) {
        message->full = true;
        return;
    }
    memmove(message->bytes + used, message->bytes, message->size);
    memcpy(message->bytes, head, used);
    message->size += used;
}
