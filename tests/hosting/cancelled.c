/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that was cancelled opens a library: dlopen is no cancellation point. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void *opens(void *name)
{
    void *handle;

    pthread_cancel(pthread_self());
    handle = dlopen(name, RTLD_NOW);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    return handle;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    void *result;

    if (argc != 2 || pthread_create(&thread, NULL, opens, argv[1]) != 0 ||
        pthread_join(thread, &result) != 0)
        return 99;
    puts(result == PTHREAD_CANCELED ? "cancelled" : result ? "opened" : "not opened");
    return 0;
}
