/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu-work [LIBCUDA]: what a program gets from the libcuda that the name leads to. Initialises it,
 * and where that works multiplies two matrices on every GPU and checks each element. One line:
 *   cuInit=CODE driver=VERSION file=PATH devices=N product=ok|CODE|wrong|none
 * Exit status 0 where cuInit answered 0 and every product was right.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "product.ptx.h"

#define N 64

static struct {
    int (*init)(unsigned);
    int (*version)(int *);
    int (*count)(int *);
    int (*device)(int *, int);
    int (*context)(void **, unsigned, int);
    int (*destroy)(void *);
    int (*load)(void **, const void *);
    int (*function)(void **, void *, const char *);
    int (*alloc)(unsigned long long *, size_t);
    int (*to_device)(unsigned long long, const void *, size_t);
    int (*to_host)(void *, unsigned long long, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    int (*synchronize)(void);
} cu;

static int resolve(void *handle)
{
    const struct {
        const char *name;
        void *slot;
    } table[] = {
        {"cuInit", &cu.init},
        {"cuDriverGetVersion", &cu.version},
        {"cuDeviceGetCount", &cu.count},
        {"cuDeviceGet", &cu.device},
        {"cuCtxCreate_v2", &cu.context},
        {"cuCtxDestroy_v2", &cu.destroy},
        {"cuModuleLoadData", &cu.load},
        {"cuModuleGetFunction", &cu.function},
        {"cuMemAlloc_v2", &cu.alloc},
        {"cuMemcpyHtoD_v2", &cu.to_device},
        {"cuMemcpyDtoH_v2", &cu.to_host},
        {"cuLaunchKernel", &cu.launch},
        {"cuCtxSynchronize", &cu.synchronize},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        void *address = dlsym(handle, table[i].name);
        if (!address) {
            fprintf(stderr, "gpu-work: %s: not found\n", table[i].name);
            return -1;
        }
        memcpy(table[i].slot, &address, sizeof(address));
    }
    return 0;
}

static int check(const float *a, const float *b, const float *c)
{
    for (int row = 0; row < N; row++) {
        for (int column = 0; column < N; column++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[row * N + k] * b[k * N + column];
            if (c[row * N + column] != sum)
                return -1;
        }
    }
    return 0;
}

/* 0 right, -1 wrong result, else the driver's code. Small whole numbers, so that the sums are exact
 * in any order. */
static int product(int ordinal)
{
    static float a[N * N], b[N * N], c[N * N];
    unsigned long long da, db, dc;
    void *context, *module, *function;
    int device, code, n = N;

    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 7 - 3);
        b[i] = (float)(i % 5 - 2);
        c[i] = -1e9f;
    }
    void *arguments[] = {&da, &db, &dc, &n};
    if ((code = cu.device(&device, ordinal)) || (code = cu.context(&context, 0, device)))
        return code;
    if ((code = cu.load(&module, product_ptx)) == 0 &&
        (code = cu.function(&function, module, "product")) == 0 &&
        (code = cu.alloc(&da, sizeof(a))) == 0 && (code = cu.alloc(&db, sizeof(b))) == 0 &&
        (code = cu.alloc(&dc, sizeof(c))) == 0 && (code = cu.to_device(da, a, sizeof(a))) == 0 &&
        (code = cu.to_device(db, b, sizeof(b))) == 0 &&
        (code = cu.launch(function, N, 1, 1, N, 1, 1, 0, NULL, arguments, NULL)) == 0 &&
        (code = cu.synchronize()) == 0)
        code = cu.to_host(c, dc, sizeof(c));
    cu.destroy(context);
    return code ? code : check(a, b, c);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "libcuda.so.1";
    int driver = 0, devices = 0, result = 0;
    char file[PATH_MAX] = "?";
    Dl_info info;

    void *handle = dlopen(name, RTLD_NOW);
    if (!handle) {
        printf("cuInit=none driver=0 file=- devices=0 product=none # %s\n", dlerror());
        return 1;
    }
    if (resolve(handle) != 0)
        return 1;
    if (dladdr((void *)cu.init, &info) && info.dli_fname && !realpath(info.dli_fname, file))
        snprintf(file, sizeof(file), "%s", info.dli_fname);
    int code = cu.init(0);
    cu.version(&driver);
    if (code == 0)
        cu.count(&devices);
    printf("cuInit=%d driver=%d file=%s devices=%d", code, driver, file, devices);
    for (int i = 0; i < devices && result == 0; i++)
        result = product(i);
    if (devices == 0)
        puts(" product=none");
    else if (result > 0)
        printf(" product=%d\n", result);
    else
        puts(result == 0 ? " product=ok" : " product=wrong");
    return code == 0 && devices > 0 && result == 0 ? 0 : 1;
}
