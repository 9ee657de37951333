/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the circumstances in which another driver must not replace the host's driver. The table of
 * signs (struct cua_row_sign) lists environment variables and devices that show such a
 * circumstance. The native UMD is the host driver's own libcuda (native.h). */
#include "facts/circumstances.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "facts/isolation.h"

#define CAPABILITIES "/proc/driver/nvidia/capabilities"

/* Called for each name in the folder gpuN/mig. Sets *data if the name is a MIG instance's: there is
 * one folder giN per instance (docs.nvidia.com/datacenter/tesla/mig-user-guide). */
static int on_instance(void *data, const char *name, unsigned char type)
{
    (void)type;
    *(bool *)data |= cua_starts(name, "gi");
    return *(bool *)data;
}

struct capabilities {
    const struct cua_subject *subject;
    bool found;
};

static int on_gpu(void *data, const char *name, unsigned char type)
{
    struct capabilities *capabilities = data;
    char path[sizeof(CAPABILITIES) + 64];

    (void)type;
    if (cua_starts(name, "gpu") && strlen(name) < 32) {
        snprintf(path, sizeof(path), CAPABILITIES "/%s/mig", name);
        cua_subject_list(capabilities->subject, path, on_instance, &capabilities->found);
    }
    return capabilities->found;
}

/* Whether CUDA_VISIBLE_DEVICES or the container runtime's NVIDIA_VISIBLE_DEVICES names a MIG
 * instance, or the kernel driver lists one. */
static bool has_mig(const struct cua_subject *subject)
{
    static const char *const names[] = {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"};
    struct capabilities capabilities = {.subject = subject};

    for (int i = 0; i < 2; i++) {
        const char *value = cua_subject_env(subject, names[i]);
        if (value && strstr(value, "MIG-"))
            return true;
    }
    cua_subject_list(subject, CAPABILITIES, on_gpu, &capabilities);
    return capabilities.found;
}

/* Whether the machine is a TDX or SEV-SNP guest: only in such a guest can a GPU be in confidential
 * mode. Most such guests have one of these devices (Linux, Documentation/virt/coco; the last one
 * exists even if no module is loaded). If there is none, cpuid decides. cpuid describes this
 * machine, so it does not count for an unpacked image or a machine that is only described
 * (subject->whatif). */
static bool is_confidential(const struct cua_subject *subject)
{
    static const char *const devices[] = {"/sys/class/misc/tdx_guest", "/sys/class/misc/sev-guest",
                                          "/sys/devices/platform/sev-guest"};
    struct stat st;

    for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
        if (cua_subject_stat(subject, devices[i], &st) == 0)
            return true;
    return !subject->whatif && cua_isolated();
}

/* Whether the program may use graphics. NVIDIA_DRIVER_CAPABILITIES lists what the user asked
 * NVIDIA's container toolkit for (docs.nvidia.com/datacenter/cloud-native/container-toolkit, driver
 * capabilities). If the variable is unset or empty, the result is whether a graphics library of the
 * driver lies beside the native UMD. */
static bool has_graphics(const struct cua_facts *facts, const struct cua_subject *subject)
{
    /* Debian has a package for each of the two, so one may be missing. */
    static const char *const names[] = {"libGLX_nvidia.so.0", "libEGL_nvidia.so.0"};
    const char *words = cua_subject_env(subject, "NVIDIA_DRIVER_CAPABILITIES");
    const struct cua_umd *native = facts->native;
    char path[PATH_MAX];
    bool found = false;
    struct stat st;

    if (words && *words)
        return strstr(words, "all") || strstr(words, "graphics") || strstr(words, "display");
    for (size_t i = 0; native && i < sizeof(names) / sizeof(*names); i++)
        found |= cua_join(path, sizeof(path), cua_umd_folder(native, path), names[i]) &&
                 cua_real_stat(subject, path, &st) == 0;
    return found;
}

/* Returns the number at the start of `value`; 0 if there is none. */
static unsigned long number_of(const char *value)
{
    return value && *value >= '0' && *value <= '9' ? strtoul(value, NULL, 10) : 0;
}

struct devices {
    /* The first `length` characters of this are how a device's name must begin. */
    const char *start;
    size_t length;
    bool found;
};

static int on_device(void *data, const char *name, unsigned char type)
{
    struct devices *devices = data;

    (void)type;
    devices->found = strncmp(name, devices->start, devices->length) == 0;
    return devices->found;
}

/* Whether there is a file that matches `pattern`, a path that ends with '*'. A file counts even if
 * this process may not open it: a process of another user in the same container may be able to, and
 * both must get the same driver. */
static bool is_present(const struct cua_subject *subject, const char *pattern)
{
    const char *slash = strrchr(pattern, '/');
    struct devices devices = {.start = slash + 1, .length = strlen(slash + 1) - 1};
    char folder[sizeof(((struct cua_row_sign *)0)->variable)];

    snprintf(folder, sizeof(folder), "%.*s", (int)(slash - pattern), pattern);
    cua_subject_list(subject, folder, on_device, &devices);
    return devices.found;
}

static bool is_sign(const struct cua_subject *subject, const struct cua_row_sign *row)
{
    const char *value = cua_subject_env(subject, row->variable);
    unsigned long bound = number_of(row->value);

    if (row->grade <= CUA_GRADE_GUESS)
        return false;
    if (row->test == CUA_TEST_DEVICE)
        return is_present(subject, row->variable);
    if (!value)
        return false;
    if (row->test == CUA_TEST_IS)
        return strcasecmp(value, row->value) == 0;
    if (row->test == CUA_TEST_SET)
        return *value;
    if (!bound)
        bound = number_of(cua_subject_env(subject, row->value));
    return number_of(value) > (bound ? bound : 1);
}

/* Whether the row compares a number of ranks (WORLD_SIZE) with a variable that is not set
 * (LOCAL_WORLD_SIZE, the number of local ranks). Then all ranks may be in this container:
 * Lightning's main process is a rank itself, sets WORLD_SIZE and starts the other ranks on the same
 * machine (fabric/strategies/launchers/subprocess_script.py). */
static bool is_number_alone(const struct cua_subject *subject, const struct cua_row_sign *row)
{
    return row->test == CUA_TEST_ABOVE && !number_of(row->value) &&
           !number_of(cua_subject_env(subject, row->value));
}

/* Whether the kernel is gVisor, of which all versions report this text (google/gvisor
 * pkg/sentry/kernel/version). gVisor passes on only the driver calls that it knows for the host
 * driver's version, and a newer libcuda may make other calls. */
static bool is_gvisor(const struct cua_subject *subject)
{
    char text[256] = "";

    return cua_subject_read(subject, "/proc/version", text, sizeof(text)) > 0 &&
           strstr(text, " #1 SMP Sun Jan 10 15:06:54 PST 2016");
}

static void read_signs(struct cua_circumstances *circumstances, const struct cua_data *data,
                       const struct cua_subject *subject)
{
    data = data ? data : &cua_data_builtin;
    for (size_t i = 0; i < data->signs; i++) {
        const struct cua_row_sign *row = &data->sign[i];
        char *to = row->test == CUA_TEST_IS ? circumstances->refusal : circumstances->several;
        bool alone = is_number_alone(subject, row);
        bool surer = to == circumstances->several && circumstances->unsure && !alone;
        if ((to[0] && !surer) || !is_sign(subject, row))
            continue;
        if (to == circumstances->several)
            circumstances->unsure = alone;
        cua_copy(to, sizeof(circumstances->several), row->variable);
        if (row->test == CUA_TEST_IS)
            snprintf(to, sizeof(circumstances->several), "%s=%s", row->variable, row->value);
        else if (row->test == CUA_TEST_ABOVE)
            snprintf(to, sizeof(circumstances->several), "%s=%lu", row->variable,
                     number_of(cua_subject_env(subject, row->variable)));
    }
    if ((!circumstances->several[0] || circumstances->unsure) && is_gvisor(subject)) {
        strcpy(circumstances->several, "gVisor");
        circumstances->unsure = false;
    }
}

void cua_circumstances_gather(struct cua_facts *facts, const struct cua_subject *subject)
{
    facts->circumstances = (struct cua_circumstances){
        .mig = has_mig(subject),
        .confidential = is_confidential(subject),
        .graphics = has_graphics(facts, subject),
    };
    read_signs(&facts->circumstances, facts->data, subject);
}
