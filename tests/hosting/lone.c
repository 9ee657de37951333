/* SPDX-License-Identifier: Apache-2.0 */
/* A library that can be executed: it has no DT_DEBUG, which leads to the list of loaded objects. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#if defined(__x86_64__)
#define LOADER "/lib64/ld-linux-x86-64.so.2"
#else
#define LOADER "/lib/ld-linux-aarch64.so.1"
#endif

extern const char interpreter[];
const char interpreter[] __attribute__((section(".interp"))) = LOADER;

void start(void);
void __attribute__((force_align_arg_pointer, noreturn)) start(void)
{
    puts(dlopen("libm.so.6", RTLD_NOW) ? "opened" : dlerror());
    fflush(stdout);
    _exit(0);
}
