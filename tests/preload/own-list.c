/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's own dl_iterate_phdr. Plain: shows the objects as they were at the first call for
 * ever, which is fast and takes no lock. With -DLOCKED: one mutex for all callers, which hangs
 * where a caller comes back to it.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

typedef int visitor(struct dl_phdr_info *, size_t, void *);

static int (*next(void))(visitor *, void *)
{
    return (int (*)(visitor *, void *))dlsym(RTLD_NEXT, "dl_iterate_phdr");
}

#ifdef LOCKED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int dl_iterate_phdr(visitor *visit, void *arg)
{
    int result;

    alarm(10);
    pthread_mutex_lock(&mutex);
    result = next()(visit, arg);
    pthread_mutex_unlock(&mutex);
    return result;
}
#else
static struct dl_phdr_info objects[256];
static int count;

static int take(struct dl_phdr_info *object, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    objects[count] = *object;
    return ++count == 256;
}

int dl_iterate_phdr(visitor *visit, void *arg)
{
    int result = 0, i;

    if (!count)
        next()(take, NULL);
    for (i = 0; i < count && !result; i++)
        result = visit(&objects[i], sizeof(objects[i]), arg);
    return result;
}

__attribute__((constructor)) static void begin(void)
{
    dl_iterate_phdr(take, NULL);
}
#endif
