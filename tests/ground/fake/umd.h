/* SPDX-License-Identifier: Apache-2.0 */
/* The few things of cuda.h that the fake needs, under names of our own. */
#ifndef CUA_UMD_H
#define CUA_UMD_H

enum {
    CUA_INVALID_VALUE = 1,
    CUA_NOT_INITIALIZED = 3,
    CUA_STUB = 34,
    CUA_NO_DEVICE = 100,
    CUA_INVALID_DEVICE = 101,
    CUA_JIT_NOT_FOUND = 221,
    CUA_NOT_FOUND = 500,
    CUA_MISMATCH = 803,
    CUA_NOT_ON_DEVICE = 804,
    CUA_UNKNOWN = 999,

    CUA_ATTRIBUTE_CC_MAJOR = 75,
    CUA_ATTRIBUTE_CC_MINOR = 76,
};

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceGetName(char *name, int size, int device);
int cuDeviceGetUuid(char *bytes, int device);
int cuDeviceGetUuid_v2(char *bytes, int device);
int cuDevicePrimaryCtxRetain(void **out, int device);
int cuDevicePrimaryCtxRelease(int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxCreate_v2(void **out, unsigned flags, int device);
int cuGetErrorName(int code, const char **name);
int cuGetErrorString(int code, const char **text);
int cuGetProcAddress_v2(const char *symbol, void **out, int version, unsigned long long flags,
                        int *found);
int cuGetProcAddress(const char *symbol, void **out, int version, unsigned long long flags);
int cuModuleLoadData(void **module, const void *image);

/* Fakes alone have these: which file a companion's name leads to; the fake's own version. */
const char *fake_companion_path(const char *name);
const char *fake_version(void);

#endif
