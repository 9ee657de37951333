/* SPDX-License-Identifier: Apache-2.0 */
/* Opens NVML again and again while another thread sets variables, each of which may move the
 * environment to another place. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic int stop;

static void *set_variables(void *data)
{
    char name[32];

    for (int i = 0; !stop && i < 20000; i++) {
        snprintf(name, sizeof(name), "VARIABLE_%d", i);
        setenv(name, "value", 1);
    }
    return data;
}

int main(void)
{
    pthread_t thread;
    int opened = 0;

    if (!dlopen("libnvidia-ml.so.1", RTLD_NOW) ||
        pthread_create(&thread, NULL, set_variables, NULL) != 0)
        return 99;
    for (int i = 0; i < 5000; i++)
        opened += dlopen("libnvidia-ml.so.1", RTLD_NOW) != NULL;
    stop = 1;
    pthread_join(thread, NULL);
    printf("opened %d times\n", opened);
    return 0;
}
