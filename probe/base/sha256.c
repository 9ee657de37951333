/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t word, unsigned by)
{
    return word >> by | word << (32 - by);
}

static void take_block(uint32_t *state, const unsigned char *block)
{
    uint32_t w[64], v[8];

    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (unsigned i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) +
               (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    memcpy(v, state, sizeof v);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t one = v[7] + constants[i] + w[i] + ((v[4] & v[5]) ^ (~v[4] & v[6])) +
                       (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25));
        uint32_t two = ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])) +
                       (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += v[i];
}

void cua_sha256_begin(struct cua_sha256 *sum)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    memcpy(sum->state, first, sizeof first);
    sum->size = 0;
}

void cua_sha256_add(struct cua_sha256 *sum, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;

    while (size) {
        size_t at = sum->size % 64, n = 64 - at < size ? 64 - at : size;
        if (n == 64) {
            take_block(sum->state, from);
        } else {
            memcpy(sum->block + at, from, n);
            if (at + n == 64)
                take_block(sum->state, sum->block);
        }
        sum->size += n;
        from += n;
        size -= n;
    }
}

void cua_sha256_end(struct cua_sha256 *sum, char *text)
{
    uint64_t bits = sum->size * 8;
    unsigned char end[72] = {0x80};
    size_t pad = (sum->size % 64 < 56 ? 56 : 120) - sum->size % 64;

    for (unsigned i = 0; i < 8; i++)
        end[pad + i] = (unsigned char)(bits >> (56 - 8 * i));
    cua_sha256_add(sum, end, pad + 8);
    for (unsigned i = 0; i < 8; i++)
        snprintf(text + 8 * i, 9, "%08x", sum->state[i]);
}

bool cua_sha256_is(const char *text)
{
    return strlen(text) == 64 && !text[strspn(text, "0123456789abcdef")];
}

int cua_sha256_file(int fd, char *text)
{
    struct cua_sha256 sum;
    unsigned char bytes[1 << 16];
    off_t at = 0;
    ssize_t n;

    cua_sha256_begin(&sum);
    while ((n = pread(fd, bytes, sizeof bytes, at)) > 0) {
        cua_sha256_add(&sum, bytes, (size_t)n);
        at += n;
    }
    cua_sha256_end(&sum, text);
    return n < 0 ? -errno : 0;
}
