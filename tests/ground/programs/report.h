/* SPDX-License-Identifier: Apache-2.0 */
/* What each of the test programs prints: one line of key=value words on stdout. */
#ifndef CUA_REPORT_H
#define CUA_REPORT_H

/* program=NAME KEY=CODE file=PATH libcudas=N maps=PATH,PATH; address: a function of the driver,
 * NULL: file is the one mapped libcuda, if it is one. 0, for main to return. */
int cua_report(const char *program, const char *key, int code, const void *address);

/* program=NAME error=WHY libcudas=N maps=...; blanks become underscores. 1, for main to return. */
int cua_report_nothing(const char *program, const char *why);

/* More words for the line, before one of the above. */
void cua_report_more(const char *key, const char *value);

#endif
