/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the kernel driver's version in /proc/driver/nvidia/version and in
 * /sys/module/nvidia/version. If neither file has one, or the two differ, asks the module by the
 * version query that every libcuda makes. The forms of the first file are known from NVIDIA's
 * nv-procfs.c (590) and from reports between 2010 and 2026. The subject is the process that is
 * examined (machine/subject.h). */
#include "facts/kmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"

#define PROC_FOLDER  "/proc/driver/nvidia"
#define PROC_VERSION PROC_FOLDER "/version"
#define SYS_VERSION  "/sys/module/nvidia/version"
#define CONTROL_NODE "/dev/nvidiactl"

/* The version query, NV_ESC_CHECK_VERSION_STR, as in nv-ioctl.h and nv-ioctl-numbers.h of
 * open-gpu-kernel-modules. */
struct check_version {
    uint32_t cmd;
    uint32_t reply;
    char version[64];
};
#define CHECK_VERSION       _IOWR('F', 0xd2, struct check_version)
#define CHECK_VERSION_QUERY '2'
#define NVIDIA_MAJOR        195
#define CONTROL_MINOR       255

/* Returns the line that starts with `start`, and writes a NUL at its end. NULL: there is none. */
static char *find_line(char *text, const char *start)
{
    while (*text && !cua_starts(text, start)) {
        text += strcspn(text, "\n");
        text += strspn(text, "\n");
    }
    text[strcspn(text, "\n")] = 0;
    return *text ? text : NULL;
}

/* Finds the first word that is a whole version; false if there is none. Of a very old version such
 * as "1.0-9631", the part before the '-' counts. */
static bool find_version(const char *words, struct cua_version *version)
{
    for (words += strspn(words, " \t\r"); *words; words += strspn(words, " \t\r")) {
        size_t read = cua_version_parse(version, words);
        if (read && strchr(" \t\r-", words[read]))
            return true;
        words += strcspn(words, " \t\r");
    }
    memset(version, 0, sizeof *version);
    return false;
}

/* Whether `line`, which has the module's version, is that of Tegra's kernel module. On Thor the
 * only sign is the name of NVIDIA's build machine for Tegra. Earlier Jetsons are aarch64, and their
 * versions differ from a desktop or server driver's (535.104.05): the first part is less than 100
 * (35.3.1), or the third has one digit (540.4.0). */
static bool is_tegra(const char *line, const struct cua_version *version)
{
    const char *third = strchr(version->text, '.');

    if (strstr(line, "buildbrain@mobile"))
        return true;
    if (!strstr(line, "aarch64"))
        return false;
    third = third ? strchr(third + 1, '.') : NULL;
    return version->part[0] < 100 || (third && strlen(third + 1) == 1);
}

static bool refuse(struct cua_kmd *kmd, const char *why)
{
    cua_copy(kmd->trouble, sizeof kmd->trouble, why);
    return false;
}

static bool take(struct cua_kmd *kmd, enum cua_platform platform, const char *source)
{
    kmd->platform = platform;
    kmd->trouble[0] = 0;
    return cua_copy(kmd->source, sizeof kmd->source, source);
}

static bool read_proc(struct cua_kmd *kmd, const struct cua_subject *subject)
{
    char text[4096], *line;
    const char *words;
    ssize_t n = cua_subject_read(subject, PROC_VERSION, text, sizeof text);

    if (n < 0) {
        if (n != -ENOENT)
            snprintf(kmd->trouble, sizeof kmd->trouble, PROC_VERSION ": %s", strerror((int)-n));
        return false;
    }
    if (!(line = find_line(text, "NVRM version:")))
        return refuse(kmd, "no line \"NVRM version:\" in " PROC_VERSION);
    words = strstr(line, "Kernel Module");
    words = words ? words + strlen("Kernel Module") : line + strlen("NVRM version:");
    if (!find_version(words, &kmd->version))
        return refuse(kmd, "no version in the line \"NVRM version:\" of " PROC_VERSION);
    kmd->flavour = strstr(line, "Open Kernel Module") ? CUA_KMD_OPEN : CUA_KMD_PROPRIETARY;
    return take(kmd, is_tegra(line, &kmd->version) ? CUA_PLATFORM_TEGRA : CUA_PLATFORM_LINUX,
                PROC_VERSION);
}

static bool read_sys(struct cua_kmd *kmd, const struct cua_subject *subject)
{
    char text[128];
    ssize_t n = cua_subject_read(subject, SYS_VERSION, text, sizeof text);

    if (n < 0)
        return false;
    text[strcspn(text, "\n")] = 0;
    if (!find_version(text, &kmd->version))
        return kmd->trouble[0] ? false : refuse(kmd, "no version in " SYS_VERSION);
    return take(kmd, CUA_PLATFORM_LINUX, SYS_VERSION);
}

/* Opens this process's own /dev/nvidiactl for the version query. Returns its descriptor, or -errno.
 * The subject's node would lead to the same kernel driver. If the subject is another process or has
 * a sysroot, its /dev/nvidiactl must be the right device, else this returns -ENODEV. It is only
 * checked, not opened, because it may be any file. Returns -ENOENT for a what-if
 * (subject->whatif). */
static int open_control(const struct cua_subject *subject)
{
    struct stat st;
    int fd;

    if (subject->whatif)
        return -ENOENT;
    if (!cua_subject_is_plain(subject) &&
        (cua_subject_stat(subject, CONTROL_NODE, &st) != 0 || !S_ISCHR(st.st_mode) ||
         st.st_rdev != makedev(NVIDIA_MAJOR, CONTROL_MINOR)))
        return -ENODEV;
    do
        fd = open(CONTROL_NODE, O_RDWR | O_CLOEXEC | O_NOCTTY);
    while (fd < 0 && errno == EINTR);
    return fd < 0 ? -errno : fd;
}

static bool ask_driver(struct cua_kmd *kmd, const struct cua_subject *subject)
{
    struct check_version query = {.cmd = CHECK_VERSION_QUERY};
    int fd = open_control(subject), failed;

    if (fd < 0)
        return false;
    failed = ioctl(fd, CHECK_VERSION, &query);
    close(fd);
    query.version[sizeof query.version - 1] = 0;
    if (failed || !find_version(query.version, &kmd->version))
        return false;
    return take(kmd, CUA_PLATFORM_LINUX, CONTROL_NODE);
}

/* Compares the versions of /proc and /sys. If they differ, a stale file or another kernel's may be
 * mounted over one of them, so the module itself is asked. If it does not answer, the version
 * becomes unknown. */
static void compare_witnesses(struct cua_kmd *kmd, const struct cua_subject *subject)
{
    struct cua_kmd other = {.platform = CUA_PLATFORM_NONE};

    if (!read_sys(&other, subject) || cua_version_compare(&other.version, &kmd->version) == 0)
        return;
    snprintf(kmd->trouble, sizeof kmd->trouble,
             PROC_VERSION " has %s, " SYS_VERSION
                          " has %s, and the kernel module did not tell which is right",
             kmd->version.text, other.version.text);
    memset(&kmd->version, 0, sizeof kmd->version);
    kmd->source[0] = 0;
    if (ask_driver(&other, subject)) {
        kmd->version = other.version;
        take(kmd, kmd->platform, CONTROL_NODE);
    }
}

/* Whether a file exists. Also calls access(), because a preloaded library that simulates a device
 * node cannot intercept the bare system call in cua_subject_stat. */
static bool exists(const struct cua_subject *subject, const char *path)
{
    struct stat st;

    if (cua_subject_stat(subject, path, &st) == 0)
        return true;
    return cua_subject_is_plain(subject) && access(path, F_OK) == 0;
}

/* Whether /dev/nvidiactl exists and seems to lead to a driver. Existence alone proves nothing: a
 * node remains when its module is unloaded, and another root may contain nodes, or plain files in
 * their place. False if the opened file is a plain one, or if open_control reports a missing driver
 * (ENXIO, ENODEV). True after any other failure. So existence suffices in a what-if, where nothing
 * is opened. */
static bool has_control(const struct cua_subject *subject)
{
    if (!exists(subject, CONTROL_NODE))
        return false;
    struct stat st = {.st_mode = 0};
    int fd = open_control(subject);
    if (fd < 0)
        return fd != -ENXIO && fd != -ENODEV;
    cua_fstat(fd, &st);
    close(fd);
    return !S_ISREG(st.st_mode);
}

/* Whether the kernel has nvgpu, Tegra's GPU driver. Jetsons before Orin have no nvidia module at
 * all. */
static bool has_nvgpu(const struct cua_subject *subject)
{
    return exists(subject, "/dev/nvhost-gpu") || exists(subject, "/dev/nvhost-ctrl-gpu") ||
           exists(subject, "/sys/module/nvgpu");
}

static void tell_without_version(struct cua_kmd *kmd, const struct cua_subject *subject)
{
    if (has_nvgpu(subject)) {
        take(kmd, CUA_PLATFORM_TEGRA, "nvgpu");
    } else if (!exists(subject, PROC_FOLDER) && exists(subject, "/dev/dxg")) {
        take(kmd, CUA_PLATFORM_WSL, "/dev/dxg");
    } else if (exists(subject, PROC_FOLDER) || exists(subject, "/sys/module/nvidia") ||
               has_control(subject)) {
        kmd->platform = CUA_PLATFORM_LINUX;
        if (!kmd->trouble[0])
            refuse(kmd, "neither " PROC_VERSION " nor " SYS_VERSION
                        " nor the driver itself tells its version");
    } else {
        kmd->trouble[0] = 0;
    }
}

void cua_kmd_gather(struct cua_kmd *kmd, const struct cua_subject *subject)
{
    memset(kmd, 0, sizeof *kmd);
    if (read_proc(kmd, subject))
        compare_witnesses(kmd, subject);
    else if (!read_sys(kmd, subject) && !ask_driver(kmd, subject))
        tell_without_version(kmd, subject);
    else if (has_nvgpu(subject))
        kmd->platform = CUA_PLATFORM_TEGRA;
}
