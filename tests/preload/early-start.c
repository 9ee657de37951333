/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preload whose constructor runs before the shim's, which is what the last of two with
 * `-z initfirst` gets. It starts a thread and opens two descriptors, one of which exec keeps.
 */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *wait_for_ever(void *nothing)
{
    for (;;)
        pause();
    return nothing;
}

__attribute__((constructor)) static void begin(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, wait_for_ever, NULL) || open("/", O_RDONLY | O_CLOEXEC) < 0 ||
        open("/", O_RDONLY) < 0)
        _exit(99);
    if (write(STDERR_FILENO, "early\n", 6) != 6)
        _exit(99);
}
