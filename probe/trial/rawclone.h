/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUA_TRIAL_RAWCLONE_H
#define CUA_TRIAL_RAWCLONE_H

#include <sys/syscall.h>

/* Calls clone(2) directly. The child runs `fn`, which must not return, on `stack` (its upper end).
 * Returns the child's pid or -errno. glibc's clone before 2.25 (clone.S, RESET_PID) is unfit for a
 * child that shares memory: it writes -1 over the pid and tid in the calling thread's TLS, and the
 * mutexes that this thread locks then record no owner. */
#if defined __x86_64__
static inline long cua_rawclone(unsigned long flags, void *stack, void (*fn)(void *), void *arg)
{
    register unsigned long r10 __asm__("r10") = 0;
    register unsigned long r8 __asm__("r8") = 0;
    register void (*r12)(void *) __asm__("r12") = fn;
    register void *r13 __asm__("r13") = arg;
    long result;

    __asm__ volatile("syscall\n\t"
                     "test %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "mov %%r13, %%rdi\n\t"
                     "call *%%r12\n\t"
                     "hlt\n"
                     "1:"
                     : "=a"(result)
                     : "a"(SYS_clone), "D"(flags), "S"(stack), "d"(0), "r"(r10), "r"(r8), "r"(r12),
                       "r"(r13)
                     : "rcx", "r11", "memory", "cc");
    return result;
}
#elif defined __aarch64__
static inline long cua_rawclone(unsigned long flags, void *stack, void (*fn)(void *), void *arg)
{
    register unsigned long x0 __asm__("x0") = flags;
    register void *x1 __asm__("x1") = stack;
    register unsigned long x2 __asm__("x2") = 0;
    register unsigned long x3 __asm__("x3") = 0;
    register unsigned long x4 __asm__("x4") = 0;
    register long x8 __asm__("x8") = SYS_clone;
    register void (*x20)(void *) __asm__("x20") = fn;
    register void *x21 __asm__("x21") = arg;

    __asm__ volatile("svc #0\n\t"
                     "cbnz x0, 1f\n\t"
                     "mov x29, #0\n\t"
                     "mov x30, #0\n\t"
                     "mov x0, x21\n\t"
                     "blr x20\n\t"
                     "brk #1\n"
                     "1:"
                     : "+r"(x0)
                     : "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x8), "r"(x20), "r"(x21)
                     : "memory", "cc");
    return (long)x0;
}
#else
#error "clone(2) for this architecture is missing"
#endif

#endif
