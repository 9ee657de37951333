/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of candidates: a machine in a folder, and what is found on it. */
#ifndef CUA_TEST_UMD_H
#define CUA_TEST_UMD_H

#include "unit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "root.h"
#include "base/policy.h"
#include "drivers/umds.h"
#include "facts/facts.h"
#include "loader/search.h"
#include "machine/subject.h"

#if defined(__x86_64__)
#define ARCH "x86_64"
#else
#define ARCH "aarch64"
#endif
#define LIBDIR "/usr/lib/" ARCH "-linux-gnu"
#define COMPAT "/usr/local/cuda-12.4/compat"
#define NATIVE "535.54.03"
#define NEWER  "550.54.14"

static char *root;
static struct cua_subject subject;
static struct cua_policy policy;
static struct cua_facts facts;
static char *no_environment[] = {NULL};

static inline int make_root(void **state)
{
    (void)state;
    root = root_make();
    subject = (struct cua_subject){.sysroot = root, .env = no_environment, .whatif = true};
    memset(&policy, 0, sizeof policy);
    return 0;
}

static inline int remove_root(void **state)
{
    (void)state;
    cua_facts_free(&facts);
    root_remove(root);
    return 0;
}

static inline void gather(void)
{
    char *found = malloc(PATH_MAX);

    cua_facts_free(&facts);
    cua_loader_find(&subject, NULL, "libcuda.so.1", found, NULL);
    cua_umds_loader(&facts, &subject, found, NULL, &policy);
    cua_umds_gather(&facts, &subject);
    free(found);
}

/* By the path in the root; NULL where it is no candidate. */
static inline struct cua_umd *find(const char *path)
{
    for (struct cua_umd *umd = facts.umds; umd; umd = umd->hh.next) {
        if (strcmp(umd->path, path) == 0)
            return umd;
    }
    return NULL;
}

static inline struct cua_umd *must_find(const char *path)
{
    struct cua_umd *umd = find(path);

    if (!umd)
        fail_msg("%s is no candidate", path);
    return umd;
}

static inline void put_driver(const char *folder, const char *version)
{
    static const char *const parts[] = {"libnvidia-ptxjitcompiler.so", "libnvidia-nvvm.so"};
    char path[PATH_MAX], target[64];

    snprintf(path, sizeof path, "%s/libcuda.so.%s", folder, version);
    root_copy(root, path, lib_path("unit-driver.so"));
    snprintf(target, sizeof target, "libcuda.so.%s", version);
    snprintf(path, sizeof path, "%s/libcuda.so.1", folder);
    root_link(root, path, target);
    snprintf(path, sizeof path, "%s/libcuda.so", folder);
    root_link(root, path, "libcuda.so.1");
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, parts[i], version);
        root_text(root, path, "");
    }
}

#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

#endif
