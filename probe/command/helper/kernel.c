/* SPDX-License-Identifier: Apache-2.0 */
#include "command/helper/kernel.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

#define THREADS 64
#define FACTOR  2654435761u

/* PTX 6.0 for sm_50. Every driver of data/packages.tsv (525 and later) can compile it for every GPU
 * that the driver supports. A user can also add an older driver, which may support GPUs below
 * sm_50; this PTX does not compile for those GPUs. Thread n stores (n + 1) * factor. */
static const char ptx[] = ".version 6.0\n"
                          ".target sm_50\n"
                          ".address_size 64\n"
                          ".visible .entry cuarbiter(.param .u64 out, .param .u32 factor)\n"
                          "{\n"
                          "    .reg .b32 %r<4>;\n"
                          "    .reg .b64 %rd<3>;\n"
                          "    ld.param.u64 %rd1, [out];\n"
                          "    ld.param.u32 %r1, [factor];\n"
                          "    cvta.to.global.u64 %rd1, %rd1;\n"
                          "    mov.u32 %r2, %tid.x;\n"
                          "    mad.lo.s32 %r3, %r2, %r1, %r1;\n"
                          "    mul.wide.u32 %rd2, %r2, 4;\n"
                          "    add.s64 %rd1, %rd1, %rd2;\n"
                          "    st.global.u32 [%rd1], %r3;\n"
                          "    ret;\n"
                          "}\n";

/* Functions of cuda.h (resolve() has their names). A device pointer has 64 bits. */
struct calls {
    int (*device)(int *device, int ordinal);
    int (*create)(void **context, unsigned flags, int device);
    int (*destroy)(void *context);
    int (*load)(void **module, const void *image);
    int (*function)(void **function, void *module, const char *name);
    int (*allocate)(uint64_t *pointer, size_t size);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                  void *stream, void **parameters, void **extra);
    int (*synchronize)(void);
    int (*copy)(void *to, uint64_t from, size_t size);
};

static bool resolve(struct calls *calls, void *handle, struct cua_trial *trial)
{
    const struct {
        const char *name;
        void *slot;
    } table[] = {
        {"cuDeviceGet", &calls->device},           {"cuCtxCreate_v2", &calls->create},
        {"cuCtxDestroy_v2", &calls->destroy},      {"cuModuleLoadData", &calls->load},
        {"cuModuleGetFunction", &calls->function}, {"cuMemAlloc_v2", &calls->allocate},
        {"cuLaunchKernel", &calls->launch},        {"cuCtxSynchronize", &calls->synchronize},
        {"cuMemcpyDtoH_v2", &calls->copy},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!(*(void **)table[i].slot = dlsym(handle, table[i].name))) {
            snprintf(trial->trouble, sizeof trial->trouble, "it has no %s", table[i].name);
            return false;
        }
    return true;
}

/* Runs the kernel in the current context. Returns 0, or the code of the first call that fails. The
 * memory and the module are freed with the context. */
static int run_kernel(const struct calls *calls, uint32_t result[THREADS])
{
    uint32_t factor = FACTOR;
    void *module = NULL, *function = NULL;
    uint64_t memory = 0;
    void *parameters[] = {&memory, &factor};
    int code = calls->load(&module, ptx);

    if (!code)
        code = calls->function(&function, module, "cuarbiter");
    if (!code)
        code = calls->allocate(&memory, THREADS * sizeof *result);
    if (!code)
        code = calls->launch(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL);
    if (!code)
        code = calls->synchronize();
    if (!code)
        code = calls->copy(result, memory, THREADS * sizeof *result);
    return code;
}

static bool is_right(const uint32_t result[THREADS])
{
    bool right = true;

    for (uint32_t i = 0; i < THREADS; i++)
        right &= result[i] == (i + 1) * FACTOR;
    return right;
}

void cua_kernel_try(struct cua_trial *trial, void *handle,
                    void (*tell)(struct cua_trial *trial, enum cua_trial_step step))
{
    struct calls calls;
    int device = 0;

    tell(trial, CUA_STEP_CONTEXT);
    if (!resolve(&calls, handle, trial)) {
        trial->how = CUA_TRIAL_BROKEN;
        return;
    }
    for (int i = 0; i < trial->devices; i++) {
        uint32_t result[THREADS] = {0};
        void *context = NULL;
        tell(trial, CUA_STEP_CONTEXT);
        if ((trial->code = calls.device(&device, i)) == 0)
            trial->code = calls.create(&context, 0, device);
        if (trial->code == 0) {
            tell(trial, CUA_STEP_KERNEL);
            trial->code = run_kernel(&calls, result);
        }
        if (trial->code == 0 && !is_right(result))
            trial->how = CUA_TRIAL_BROKEN;
        if (trial->code || trial->how == CUA_TRIAL_BROKEN) {
            snprintf(trial->trouble, sizeof trial->trouble, "on GPU %d%s", i,
                     trial->code ? "" : ": wrong result");
            return;
        }
        calls.destroy(context);
    }
    trial->step = CUA_STEP_NONE;
}
