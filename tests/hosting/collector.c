/* SPDX-License-Identifier: Apache-2.0 */
/* collector: a thread opens libcuda while another collects garbage, for which it stops all others
 * by a signal and waits for them. Says which libcuda it got, and how long the collection took. */
#define GC_THREADS
#include <gc.h>
#undef dlopen /* not under its lock, as a library that knows nothing of it */

#include <stdio.h>

#include "asker.h"

static void *asks(void *arg)
{
    *(int *)arg = opens();
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int got = 0;

    GC_INIT();
    GC_pthread_create(&thread, NULL, asks, &got);
    pause_for(200);
    long before = now();
    GC_gcollect();
    long took = now() - before;
    GC_pthread_join(thread, NULL);
    printf("%d, %s\n", got, took < 1000 ? "at once" : "late");
    return 0;
}
