/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stand-in for the NVIDIA kernel driver: a preloaded library that lets a real libcuda believe
 * that a driver of version $STANDIN_KMD is loaded, on a machine with none. $STANDIN_WITHOUT lists,
 * with colons between, what of it is absent all the same.
 */
#ifndef CUA_STANDIN_H
#define CUA_STANDIN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum cua_kind {
    CUA_NOT_OURS,
    CUA_DEV_CTL,   /* /dev/nvidiactl */
    CUA_DEV_OTHER, /* /dev/nvidia-modeset and the like */
    CUA_DEV_UVM,   /* /dev/nvidia-uvm */
    CUA_FILE,      /* a file of /proc or /sys */
    CUA_FOLDER,
    CUA_ABSENT, /* ours to answer for, and not there */
};

/* A path judged; real is set where a file of $STANDIN_ROOT answers for it. */
struct cua_node {
    enum cua_kind kind;
    bool from_root;
    char real[4096];
};

/* Raw calls: the stand-in may not reach the functions that it plays. */
long cua_sys_open(int dirfd, const char *path, int flags, mode_t mode);

/* The version to play; NULL: no driver, everything goes to the kernel. */
const char *cua_kmd(void);
const char *cua_env(const char *name);
void cua_log(const char *call, const char *what, long answer);

void cua_look(const char *path, struct cua_node *node);
/* A descriptor on what stands at path; kind is neither NOT_OURS nor ABSENT. -1 sets errno. */
int cua_open_node(const char *path, const struct cua_node *node, int flags);

void cua_remember(int fd, enum cua_kind kind);
enum cua_kind cua_remembered(int fd);

int cua_rm_ioctl(enum cua_kind kind, unsigned long request, void *arg);

#endif
