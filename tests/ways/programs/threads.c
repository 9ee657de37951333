/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads open libcuda and call cuInit at the same moment. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#include "report.h"

#define CUA_THREADS 8

struct cua_one {
    void *handle;
    void *address;
    int code;
};

static struct cua_one all[CUA_THREADS];
static pthread_barrier_t barrier;

static void *run(void *data)
{
    struct cua_one *one = data;
    int (*init)(unsigned);

    pthread_barrier_wait(&barrier);
    one->handle = dlopen("libcuda.so.1", RTLD_NOW);
    one->address = one->handle ? dlsym(one->handle, "cuInit") : NULL;
    *(void **)&init = one->address;
    one->code = init ? init(0) : -1;
    return NULL;
}

int main(void)
{
    pthread_t threads[CUA_THREADS];
    int i, agree = 1;

    pthread_barrier_init(&barrier, NULL, CUA_THREADS);
    for (i = 0; i < CUA_THREADS; i++)
        if (pthread_create(&threads[i], NULL, run, &all[i]))
            return cua_report_nothing("threads", "no thread");
    for (i = 0; i < CUA_THREADS; i++)
        pthread_join(threads[i], NULL);
    for (i = 1; i < CUA_THREADS; i++)
        agree &= all[i].handle == all[0].handle && all[i].address == all[0].address &&
                 all[i].code == all[0].code;
    cua_report_more("agree", agree ? "yes" : "no");
    return cua_report("threads", "cuInit", all[0].code, all[0].address);
}
