/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fake drivers: one template a kind, built once; make-root copies it and writes the settings of
 * each copy into a block of text in .rodata, so that a hundred roots cost no compiler.
 */
#ifndef CUA_FAKE_H
#define CUA_FAKE_H

#include <stdbool.h>

#define CUA_FAKE_API  __attribute__((visibility("default")))
#define CUA_FAKE_TEXT 1024
#define CUA_MAX_GPUS  32

struct cua_fake_gpu {
    int brand;
    int major, minor;
    char uuid[64];
    char pci[32];
    char name[96];
};

struct cua_fake_machine {
    char kmd[64]; /* "": no driver loaded */
    int n_gpus;
    struct cua_fake_gpu gpu[CUA_MAX_GPUS];
};

/* "key=value\n" lines, after the mark. */
extern const volatile char cua_fake_block[];

/* false: no such key. */
bool cua_fake_setting(const char *key, char *value, int size);
int cua_fake_number(const char *key, int otherwise);
/* Whether a list as "535,550" has the number. */
bool cua_fake_listed(const char *key, int number);

/* Components of a dotted version compared as numbers. */
int cua_fake_compare(const char *a, const char *b);
int cua_fake_branch(const char *version);

/* The machine as $FAKE_ROOT (or $CUARBITER_SYSROOT) has it; GPUs from $FAKE_GPUS, else from the
 * root's file fake-gpus; brands from $FAKE_BRANDS. visible: only what CUDA_VISIBLE_DEVICES
 * leaves. */
void cua_fake_read_machine(struct cua_fake_machine *machine, bool visible);

#endif
