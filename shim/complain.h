/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUA_COMPLAIN_H
#define CUA_COMPLAIN_H

/* One line on standard error where there is no engine to write it: "cuarbiter[1]: error: CODE:
 * WHAT" and WHY behind it. Written only if that is a standard error, and never waits nor raises a
 * signal. */
void cua_complain(const char *code, const char *what, const char *why);

#endif
