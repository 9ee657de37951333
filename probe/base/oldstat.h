/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stat, lstat and fstat with no symbol version: glibc 2.33 versioned its own anew, and what is
 * built there would not load in an older one. As libc's: 0, or -1 with errno set.
 *
 * Nothing that a library has put in front of libc is asked; where the existence of a device node
 * is the question, ask access().
 */
#ifndef CUA_OLDSTAT_H
#define CUA_OLDSTAT_H

#include <sys/stat.h>

int cua_stat(const char *path, struct stat *st);
int cua_lstat(const char *path, struct stat *st);
int cua_fstat(int fd, struct stat *st);

#endif
