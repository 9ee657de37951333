/* SPDX-License-Identifier: Apache-2.0 */
/* What every unit test includes: cmocka wants these before it. */
#ifndef CUA_UNIT_H
#define CUA_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
