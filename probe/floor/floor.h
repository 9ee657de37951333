/* SPDX-License-Identifier: Apache-2.0 */
/* Included before everything else (-include) in the sources of the command, if they are compiled
 * with -Dfloor=portable. Binds functions to symbol versions that glibc 2.17 has, where a newer
 * glibc would bind them to newer versions. tests/gates finds what is missing here. */
#ifndef CUA_FLOOR_H
#define CUA_FLOOR_H

#include <features.h>

/* From glibc 2.38 on, _GNU_SOURCE turns strtol and sscanf into __isoc23_*, unless a macro of
 * features.h is 0. The macro's name has C2X, and from glibc 2.40 on C23. */
#undef __GLIBC_USE_C2X_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C23_STRTOL 0

#if defined __x86_64__
#define CUA_FLOOR_FIRST "GLIBC_2.2.5"
#elif defined __aarch64__
#define CUA_FLOOR_FIRST "GLIBC_2.17"
#else
#error "cuarbiter runs on x86_64 and aarch64 only"
#endif

/* Every source gets all the bindings below: the assembler drops those of symbols that the source
 * does not use. */
#define CUA_FLOOR_BIND(used, symbol) __asm__(".symver " #used ", " #symbol "@" CUA_FLOOR_FIRST)

CUA_FLOOR_BIND(dlopen, dlopen);
CUA_FLOOR_BIND(dlsym, dlsym);
CUA_FLOOR_BIND(dlerror, dlerror);
/* fcntl64 is new in glibc 2.28. off_t has 64 bits on both architectures, so fcntl is the same
 * function. */
CUA_FLOOR_BIND(fcntl64, fcntl);

#endif
