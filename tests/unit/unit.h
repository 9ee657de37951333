/* SPDX-License-Identifier: Apache-2.0 */
/* What every unit test includes: cmocka needs these before it. */
#ifndef CUA_UNIT_H
#define CUA_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* cmocka's skip() says "not ok N # SKIP", which meson takes for a failure. tests/summary.py counts
 * this line. */
#define CUA_UNIT_SKIP(why)                                                                         \
    do {                                                                                           \
        print_message("# skipped: %s: %s\n", __func__, why);                                       \
        return;                                                                                    \
    } while (0)

/* cmocka 2 deprecates assert_in_range, and cmocka 1 has no other. */
#define CUA_UNIT_WITHIN(value, least, most)                                                        \
    assert_true((uintmax_t)(value) >= (uintmax_t)(least) && (uintmax_t)(value) <= (uintmax_t)(most))

#endif
