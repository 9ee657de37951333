/* SPDX-License-Identifier: Apache-2.0 */
#include "standin.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Numbers of NVIDIA/open-gpu-kernel-modules: nv_escape.h, nv-ioctl-numbers.h. */
enum {
    CUA_ESC_RM_FREE = 0x29,
    CUA_ESC_RM_CONTROL = 0x2a,
    CUA_ESC_RM_ALLOC = 0x2b,
    CUA_ESC_CARD_INFO = 0xc8,
    CUA_ESC_CHECK_VERSION = 0xd2,
    CUA_ESC_XFER = 0xd3,
    CUA_ESC_SYS_PARAMS = 0xd6,
};

#define CUA_CTRL_GET_BUILD_VERSION 0x101
#define CUA_VERSION_QUERY          '2'

/* nv-ioctl.h: nv_ioctl_rm_api_version_t */
struct cua_version {
    uint32_t cmd;
    uint32_t reply;
    char string[64];
};

/* nv-ioctl.h: nv_ioctl_xfer_t */
struct cua_xfer {
    uint32_t cmd;
    uint32_t size;
    uint64_t pointer;
};

/* nvos.h: NVOS54_PARAMETERS */
struct cua_control {
    uint32_t client;
    uint32_t object;
    uint32_t cmd;
    uint32_t flags;
    uint64_t params;
    uint32_t size;
    uint32_t status;
};

/* ctrl0000system.h: NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_PARAMS */
struct cua_build_version {
    uint32_t size;
    uint64_t driver_version;
    uint64_t version;
    uint64_t title;
    uint32_t changelist;
    uint32_t official_changelist;
};

static void *pointer(uint64_t value)
{
    return (void *)(uintptr_t)value;
}

static int check_version(struct cua_version *v)
{
    bool same = !strncmp(v->string, cua_kmd(), sizeof v->string);

    v->reply = v->cmd == CUA_VERSION_QUERY || same;
    snprintf(v->string, sizeof v->string, "%s", cua_kmd());
    if (v->reply)
        return 0;
    errno = EINVAL;
    return -1;
}

static void build_version(struct cua_build_version *b)
{
    if (b->driver_version && b->size)
        snprintf(pointer(b->driver_version), b->size, "%s", cua_kmd());
    /* With 0, or a number above the UMD's branch point, a UMD accepts any version string. */
    b->changelist = 1;
    b->official_changelist = 1;
}

static int escape(unsigned number, size_t size, void *arg)
{
    struct cua_control *control = arg;

    if (!arg)
        return 0;
    switch (number) {
    case CUA_ESC_CHECK_VERSION:
        if (size < sizeof(struct cua_version))
            break;
        return check_version(arg);
    case CUA_ESC_CARD_INFO:
        memset(arg, 0, size);
        return 0;
    case CUA_ESC_RM_CONTROL:
        if (size < sizeof *control)
            break;
        if (control->cmd == CUA_CTRL_GET_BUILD_VERSION && control->params &&
            control->size >= sizeof(struct cua_build_version))
            build_version(pointer(control->params));
        control->status = 0;
        return 0;
    case CUA_ESC_RM_ALLOC:
    case CUA_ESC_RM_FREE:
    case CUA_ESC_SYS_PARAMS:
    default:
        return 0;
    }
    errno = EINVAL;
    return -1;
}

int cua_rm_ioctl(enum cua_kind kind, unsigned long request, void *arg)
{
    unsigned number = request & 0xff;
    size_t size = (request >> 16) & 0x3fff;
    struct cua_xfer *xfer = arg;
    char what[64];
    int answer = 0;

    if (kind == CUA_DEV_CTL && number == CUA_ESC_XFER && arg)
        answer = escape(xfer->cmd, xfer->size, pointer(xfer->pointer));
    else if (kind == CUA_DEV_CTL)
        answer = escape(number, size, arg);
    snprintf(what, sizeof what, "%s %#lx", kind == CUA_DEV_CTL ? "ctl" : "other", request);
    cua_log("ioctl", what, answer);
    return answer;
}
