/* SPDX-License-Identifier: Apache-2.0 */
#undef _FILE_OFFSET_BITS
#include "standin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* What a machine with the driver has; everything else below the two folders is absent. */
static const struct {
    const char *path;
    enum cua_kind kind;
} table[] = {
    {"/dev/nvidiactl", CUA_DEV_CTL},
    {"/dev/nvidia-modeset", CUA_DEV_OTHER},
    {"/dev/nvidia-uvm", CUA_DEV_UVM},
    {"/dev/nvidia-uvm-tools", CUA_DEV_UVM},
    {"/proc/driver/nvidia", CUA_FOLDER},
    {"/proc/driver/nvidia/gpus", CUA_FOLDER},
    {"/proc/driver/nvidia/version", CUA_FILE},
    {"/proc/driver/nvidia/params", CUA_FILE},
    {"/proc/driver/nvidia/registry", CUA_FILE},
    {"/sys/module/nvidia", CUA_FOLDER},
    {"/sys/module/nvidia/version", CUA_FILE},
    {"/sys/module/nvidia/initstate", CUA_FILE},
    {"/sys/module/nvidia_uvm", CUA_FOLDER},
    {"/sys/module/nvidia_uvm/initstate", CUA_FILE},
    {"/proc/modules", CUA_FILE},
    {"/proc/devices", CUA_FILE},
};

static const char params[] =
    "ResmanDebugLevel: 4294967295\nRmLogonRC: 1\nModifyDeviceFiles: 1\nDeviceFileUID: 0\n"
    "DeviceFileGID: 0\nDeviceFileMode: 438\nInitializeSystemMemoryAllocations: 1\n"
    "UsePageAttributeTable: 4294967295\nEnableMSI: 1\nRegistryDwords: \"\"\nRmMsg: \"\"\n";

static bool below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return !strncmp(path, folder, n) && (path[n] == '/' || !path[n]);
}

/* Names as they are asked for: doubled slashes and one at the end are all that is folded. */
static bool tidy(const char *path, char *out, size_t size)
{
    size_t n = 0;

    for (; *path; path++) {
        if (*path == '/' && n && out[n - 1] == '/')
            continue;
        if (n + 1 >= size)
            return false;
        out[n++] = *path;
    }
    if (n > 1 && out[n - 1] == '/')
        n--;
    out[n] = 0;
    return true;
}

static bool left_out(const char *path)
{
    const char *list = cua_env("STANDIN_WITHOUT");
    char name[256];
    size_t n;

    for (; list && *list; list += n + (list[n] == ':')) {
        n = strcspn(list, ":");
        if (n < sizeof name) {
            memcpy(name, list, n);
            name[n] = 0;
            if (n && below(path, name))
                return true;
        }
    }
    return false;
}

static bool root_answers(const char *path, struct cua_node *node)
{
    const char *root = cua_env("STANDIN_ROOT");
    int n;

    if (!root)
        return false;
    n = snprintf(node->real, sizeof node->real, "%s%s", root, path);
    return n > 0 && (size_t)n < sizeof node->real &&
           syscall(SYS_faccessat, AT_FDCWD, node->real, F_OK) == 0;
}

void cua_look(const char *path, struct cua_node *node)
{
    char name[4096];
    size_t i;

    node->kind = CUA_NOT_OURS;
    node->from_root = false;
    if (!path || path[0] != '/' || !tidy(path, name, sizeof name))
        return;
    if (strncmp(name, "/dev/nvidia", 11) && !below(name, "/proc/driver/nvidia") &&
        strncmp(name, "/sys/module/nvidia", 18) && strcmp(name, "/proc/modules") &&
        strcmp(name, "/proc/devices"))
        return;
    if (!cua_kmd())
        return;
    if (left_out(name)) {
        node->kind = CUA_ABSENT;
        return;
    }
    for (i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(name, table[i].path))
            node->kind = table[i].kind;
    if (node->kind >= CUA_DEV_CTL && node->kind <= CUA_DEV_UVM)
        return;
    node->from_root = root_answers(name, node);
    if (node->kind == CUA_NOT_OURS)
        node->kind = node->from_root ? CUA_FILE : CUA_ABSENT;
}

static void append_real(int fd, const char *path)
{
    char chunk[4096];
    long n, from = cua_sys_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);

    if (from < 0)
        return;
    while ((n = syscall(SYS_read, from, chunk, sizeof chunk)) > 0)
        syscall(SYS_write, fd, chunk, (size_t)n);
    syscall(SYS_close, from);
}

static void made_up(int fd, const char *path)
{
    const char *kmd = cua_kmd(), *last = strrchr(path, '/') + 1;
    char text[1024] = "";
    struct utsname u;

    if (below(path, "/proc/driver/nvidia") && !strcmp(last, "version")) {
        uname(&u);
        snprintf(text, sizeof text,
                 "NVRM version: NVIDIA UNIX %s Kernel Module  %s  Thu Jan  1 00:00:00 UTC 2026\n"
                 "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n",
                 u.machine, kmd);
    } else if (!strcmp(last, "version"))
        snprintf(text, sizeof text, "%s\n", kmd);
    else if (!strcmp(last, "initstate"))
        snprintf(text, sizeof text, "live\n");
    else if (!strcmp(last, "params"))
        snprintf(text, sizeof text, "%s", params);
    else if (!strcmp(last, "registry"))
        snprintf(text, sizeof text, "Binary: \"\"\n");
    else if (!strcmp(last, "modules"))
        snprintf(text, sizeof text,
                 "nvidia_uvm 1540096 0 - Live 0x0000000000000000 (POE)\n"
                 "nvidia 56713216 1 nvidia_uvm, Live 0x0000000000000000 (POE)\n");
    else if (!strcmp(last, "devices"))
        snprintf(text, sizeof text,
                 "Character devices:\n195 nvidia\n195 nvidia-modeset\n195 nvidiactl\n"
                 "510 nvidia-uvm\n\n");
    syscall(SYS_write, fd, text, strlen(text));
    if (!below(path, "/proc/driver/nvidia") && below(path, "/proc"))
        append_real(fd, path);
    syscall(SYS_lseek, fd, 0L, SEEK_SET);
}

/* A folder with nothing in it: one that is gone as soon as it is open. */
static int empty_folder(int flags)
{
    char name[64];
    long fd;

    snprintf(name, sizeof name, "/tmp/standin.%ld.%lx", (long)syscall(SYS_gettid),
             (unsigned long)&fd);
    syscall(SYS_mkdirat, AT_FDCWD, name, 0700);
    fd = cua_sys_open(AT_FDCWD, name, flags | O_DIRECTORY, 0);
    syscall(SYS_unlinkat, AT_FDCWD, name, AT_REMOVEDIR);
    return (int)fd;
}

int cua_open_node(const char *path, const struct cua_node *node, int flags)
{
    bool write = (flags & O_ACCMODE) != O_RDONLY;
    int fd;

    if (node->kind >= CUA_DEV_CTL && node->kind <= CUA_DEV_UVM) {
        fd = (int)cua_sys_open(AT_FDCWD, "/dev/null", O_RDWR | (flags & O_CLOEXEC), 0);
        cua_remember(fd, node->kind);
        return fd;
    }
    if (write) {
        errno = EACCES;
        return -1;
    }
    if (node->from_root)
        return (int)cua_sys_open(AT_FDCWD, node->real, flags, 0);
    if (node->kind == CUA_FOLDER)
        return empty_folder(flags & ~O_ACCMODE);
    fd = (int)syscall(SYS_memfd_create, "standin", flags & O_CLOEXEC ? 1U : 0U);
    if (fd >= 0)
        made_up(fd, path);
    return fd;
}
