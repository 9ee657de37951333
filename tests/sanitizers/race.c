/* SPDX-License-Identifier: Apache-2.0 */
/* A data race, which ThreadSanitizer has to find. */
#include <pthread.h>
#include <stddef.h>

static void *races(void *arg)
{
    ++*(volatile int *)arg;
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    int number = 0;

    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, races, &number) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return number > 0 ? 0 : 1;
}
