/* SPDX-License-Identifier: Apache-2.0 */
/* A preload that makes flock() known to ThreadSanitizer: by it threads of one process take turns
 * too. */
#include <stddef.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In the runtime; the programs that a test starts have none. */
void __tsan_acquire(void *at) __attribute__((weak));
void __tsan_release(void *at) __attribute__((weak));

static char lock;

int flock(int fd, int how)
{
    if (how & LOCK_UN && __tsan_release)
        __tsan_release(&lock);
    int failed = (int)syscall(SYS_flock, fd, how);
    if (!failed && how & LOCK_EX && __tsan_acquire)
        __tsan_acquire(&lock);
    return failed;
}
