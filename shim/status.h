/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the text of /proc/PID/status. */
#ifndef CUA_STATUS_H
#define CUA_STATUS_H

#include <stdint.h>

/* The number at the start of a text; 0 if there is none. cua_hex reads hexadecimal digits in lower
 * case. */
uint64_t cua_decimal(const char *at);
uint64_t cua_hex(const char *at);

/* Finds the line that starts with `key`, which includes the colon and the tab, and returns what
 * follows `key`; NULL if there is no such line. */
const char *cua_status_line(const char *text, const char *key);

/* The hexadecimal number after `key` in the line that starts with `key`; 0 if there is no such line
 * or number. */
uint64_t cua_status_hex(const char *text, const char *key);

#endif
