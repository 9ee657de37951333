/* SPDX-License-Identifier: Apache-2.0 */
/* A library that needs more functions of libcuda than a message has room for. */
#define EACH(X)                                                                                    \
    X(cuMemAddressReserve0)                                                                        \
    X(cuMemAddressReserve1)                                                                        \
    X(cuMemAddressReserve2)                                                                        \
    X(cuMemAddressReserve3)                                                                        \
    X(cuMemAddressReserve4)                                                                        \
    X(cuMemAddressReserve5)                                                                        \
    X(cuMemAddressReserve6)
#define DECLARE(name) void name(void);
#define NAME(name)    name,

EACH(DECLARE)

__attribute__((visibility("default"))) extern void (*const fake_needs[])(void);
void (*const fake_needs[])(void) = {EACH(NAME)};
