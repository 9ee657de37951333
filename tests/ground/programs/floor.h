/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Old names for what glibc 2.34 versioned anew, so that a program built on a new system runs in
 * an old root file system. This was the simpler way: no compiler is needed in any old root.
 */
#ifndef CUA_FLOOR_H
#define CUA_FLOOR_H

#if defined(__x86_64__)
#define CUA_FLOOR "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define CUA_FLOOR "GLIBC_2.17"
#else
#error "x86_64 and aarch64 only"
#endif

__asm__(".symver dlopen, dlopen@" CUA_FLOOR);
__asm__(".symver dlsym, dlsym@" CUA_FLOOR);
__asm__(".symver dladdr, dladdr@" CUA_FLOOR);
__asm__(".symver dlerror, dlerror@" CUA_FLOOR);

#endif
