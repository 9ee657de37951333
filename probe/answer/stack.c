/* SPDX-License-Identifier: Apache-2.0 */
/* A bare dlopen needs less than 10 KiB, and some programs give their threads only 16; a decision
 * needs three times as much for its paths alone. Such a thread works on another stack. Every other
 * thread stays on its own: a garbage collector that stops threads one by one must be able to stop
 * this one while it waits for a lock that a stopped thread holds. */
#include "answer/stack.h"

#include <linux/limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIZE  (256u << 10)
#define GUARD 4096u
#define ROOM  (64u << 10)
#define NEAR  (1u << 20)

/* In libpthread before glibc 2.34, the first one before 2.32. Without it there is one thread. */
#pragma weak pthread_getattr_np
#pragma weak pthread_attr_getstack
#pragma weak pthread_attr_getguardsize

/* A spare stack, taken and returned by atomic exchange: no lock has to survive a fork. */
static char *_Atomic spare;

static char *take(void)
{
    char *stack = atomic_exchange(&spare, NULL);

    if (stack)
        return stack;
    stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED)
        return NULL;
    mprotect(stack, GUARD, PROT_NONE);
    return stack;
}

/* The frame pointer leads back: for debuggers and for those who unwind. */
static __attribute__((noinline)) void call_on(char *end, void (*work)(void *), void *arg)
{
    /* Asking for the frame makes both compilers keep one. */
    __asm__ volatile("" : : "r"(__builtin_frame_address(0)));
#if defined(__x86_64__)
    __asm__ volatile("movq %%rsp, %%rbx\n\t"
                     "movq %[end], %%rsp\n\t"
                     "call *%[work]\n\t"
                     "movq %%rbx, %%rsp"
                     : "+D"(arg), [end] "+r"(end), [work] "+r"(work)
                     :
                     : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc",
                       "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#elif defined(__aarch64__)
    register void *x0 __asm__("x0") = arg;

    __asm__ volatile("mov x19, sp\n\t"
                     "mov sp, %[end]\n\t"
                     "blr %[work]\n\t"
                     "mov sp, x19"
                     : "+r"(x0), [end] "+r"(end), [work] "+r"(work)
                     :
                     : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
                       "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x30", "memory", "cc", "v0",
                       "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",
                       "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
                       "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
#else
#error "calling on another stack is missing for this architecture"
#endif
}

#define BIT(signal) (1ULL << ((signal)-1))

/* Garbage collectors stop a thread by one of these, and look for its stack where the handler runs.
 * All others are handled here as well as there. 32 and 33 are libc's own. */
static const unsigned long long collectors =
    BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGXCPU) | BIT(SIGPWR) | ~(BIT(34) - 1);

/* A thread's own stack, as libc knows it. An old glibc counts the guard in. */
static bool is_own_with_room(uintptr_t here)
{
    size_t size, guard;
    pthread_attr_t attr;
    void *low;
    bool room;

    if (!pthread_attr_getstack || pthread_getattr_np(pthread_self(), &attr) != 0)
        return false;
    room = pthread_attr_getstack(&attr, &low, &size) == 0 &&
           pthread_attr_getguardsize(&attr, &guard) == 0 && here - (uintptr_t)low < size &&
           here - (uintptr_t)low > guard + ROOM;
    pthread_attr_destroy(&attr);
    return room;
}

/* Only room that is known to be this stack's: below a coroutine's lies something else, just as
 * readable. The first thread's may grow up to its limit. At its upper end lie the auxiliary vector
 * and above it arguments and environment: a quarter of the limit, or ARG_MAX. The kernel puts no
 * other mapping within NEAR below it; further down libc looks for one, in /proc/self/maps, which is
 * dear. A coroutine's or a thread's stack that is an array in a frame of a roomy one looks like
 * that one. */
static bool has_room(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), top = getauxval(AT_RANDOM);
    bool near = top > here && top - here < NEAR;
    struct rlimit limit;

    if (!near && syscall(SYS_gettid) != getpid())
        return is_own_with_room(here);
    return top > here && syscall(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit) == 0 &&
           limit.rlim_cur / 4 * 3 > top - here + ROOM &&
           limit.rlim_cur > top - here + ROOM + ARG_MAX && (near || is_own_with_room(here));
}

void cua_on_roomy_stack(void (*work)(void *arg), void *arg)
{
    unsigned long long before;
    stack_t own;
    char *stack;

    /* In a signal handler with a stack of its own: the next signal would begin at its top again. */
    if (syscall(SYS_sigaltstack, NULL, &own) == 0 && own.ss_flags & SS_ONSTACK)
        return;
    if (has_room()) {
        work(arg);
        return;
    }
    if (!(stack = take()))
        return;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &collectors, &before, sizeof(before));
    call_on(stack + SIZE, work, arg);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
    stack = atomic_exchange(&spare, stack);
    if (stack)
        munmap(stack, SIZE);
}
