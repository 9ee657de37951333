/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Included before everything else (-include) in whatever goes into the engine and the command,
 * with -Dfloor=portable. Binds to the symbol versions that glibc 2.17 has where a newer glibc to
 * build on would pin a newer one. What it does not cover is found by tests/gates.
 */
#ifndef CUA_FLOOR_H
#define CUA_FLOOR_H

#include <features.h>

/* From 2.38 on, _GNU_SOURCE turns strtol and sscanf into __isoc23_*; features.h names the switch
 * after C2X, from 2.40 on after C23. */
#undef __GLIBC_USE_C2X_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C23_STRTOL 0

#if defined __x86_64__
#define CUA_FLOOR_FIRST "GLIBC_2.2.5"
#elif defined __aarch64__
#define CUA_FLOOR_FIRST "GLIBC_2.17"
#else
#error "no floor for this architecture: build with -Dfloor=distro"
#endif

/* The assembler drops those that a file does not use. */
#define CUA_FLOOR_BIND(used, symbol) __asm__(".symver " #used ", " #symbol "@" CUA_FLOOR_FIRST)

CUA_FLOOR_BIND(dlopen, dlopen);
CUA_FLOOR_BIND(dlsym, dlsym);
CUA_FLOOR_BIND(dlerror, dlerror);
CUA_FLOOR_BIND(pthread_attr_getguardsize, pthread_attr_getguardsize);
CUA_FLOOR_BIND(pthread_attr_getstack, pthread_attr_getstack);
CUA_FLOOR_BIND(pthread_getattr_np, pthread_getattr_np);
/* 2.28; off_t has 64 bits on both architectures, so it is the same function. */
CUA_FLOOR_BIND(fcntl64, fcntl);

#endif
