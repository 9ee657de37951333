/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/listing.h"
#include "tables/tables.h"

#define PROC_GPUS  "/proc/driver/nvidia/gpus"
#define PROC_CARDS "/proc/driver/nvidia/cards" /* drivers before 2010: one file per card */
#define SYS_PCI    "/sys/bus/pci/devices"

/* More GPUs than any machine has. The limit keeps a damaged /proc from exhausting the memory. */
#define MOST_GPUS 256

struct cua_gpu *cua_gpu_add(struct cua_facts *facts)
{
    struct cua_gpu *grown = facts->gpu_count == MOST_GPUS
                                ? NULL
                                : realloc(facts->gpus, (facts->gpu_count + 1) * sizeof(*grown));

    if (!grown)
        return NULL;
    facts->gpus = grown;
    grown += facts->gpu_count++;
    *grown = (struct cua_gpu){.brand = CUA_BRAND_UNKNOWN, .minor = -1};
    return grown;
}

/* Copies `value` to `field` if it fits and is printable; otherwise leaves the field unchanged. */
static void take(char *field, size_t size, const char *value, size_t length)
{
    if (length == 0 || length >= size)
        return;
    for (size_t i = 0; i < length; i++)
        if (value[i] < ' ' || value[i] > '~')
            return;
    memcpy(field, value, length);
    field[length] = '\0';
}

/* Whether a name has the form 0000:01:00.0, with any number of hexadecimal digits in each part. */
static bool is_pci_address(const char *name)
{
    static const char hex[] = "0123456789abcdefABCDEF", marks[] = "::.";

    if (strlen(name) >= sizeof(((struct cua_gpu *)0)->pci))
        return false;
    for (size_t part = 0; part < 4; part++) {
        size_t digits = strspn(name, hex);
        if (digits == 0 || name[digits] != marks[part])
            return false;
        name += digits + (part < 3);
    }
    return true;
}

static bool key_is(const char *line, size_t length, const char *key)
{
    return length == strlen(key) && strncmp(line, key, length) == 0;
}

/* Reads a line such as "Model: \t\t NVIDIA GeForce RTX 3090". The kernel module pads the value with
 * varying numbers of blanks and tabs. */
static void read_line(struct cua_gpu *gpu, const char *line, const char *end)
{
    static const char blanks[] = " \t\r";
    const char *colon = memchr(line, ':', (size_t)(end - line));

    if (!colon)
        return;
    size_t key = (size_t)(colon - line);
    const char *value = colon + 1;
    while (value < end && strchr(blanks, *value))
        value++;
    while (end > value && strchr(blanks, end[-1]))
        end--;
    size_t length = (size_t)(end - value);

    if (key_is(line, key, "Model")) {
        if (!key_is(value, length, "Unknown"))
            take(gpu->model, sizeof(gpu->model), value, length);
    } else if (key_is(line, key, "GPU UUID")) {
        if (length > 4 && strncmp(value, "GPU-", 4) == 0 && !memchr(value, '?', length))
            take(gpu->uuid, sizeof(gpu->uuid), value, length);
    } else if (key_is(line, key, "Bus Location")) {
        char pci[sizeof(gpu->pci)] = "";
        take(pci, sizeof(pci), value, length);
        if (!gpu->pci[0] && is_pci_address(pci))
            strcpy(gpu->pci, pci);
    } else if (key_is(line, key, "Device Minor")) {
        if (length > 0 && length < 4 && strspn(value, "0123456789") == length)
            gpu->minor = atoi(value);
    } else if (key_is(line, key, "GPU Excluded") || key_is(line, key, "Blacklisted")) {
        gpu->excluded = key_is(value, length, "Yes");
    }
}

void cua_gpu_read(struct cua_gpu *gpu, const char *text)
{
    for (const char *line = text; *line; line += strspn(line, "\n")) {
        const char *end = line + strcspn(line, "\n");
        read_line(gpu, line, end);
        line = end;
    }
}

static unsigned read_hex(const struct cua_subject *subject, const char *device, const char *file)
{
    char path[512], text[32];

    snprintf(path, sizeof(path), SYS_PCI "/%s/%s", device, file);
    if (cua_subject_read(subject, path, text, sizeof(text)) <= 0)
        return 0;
    return (unsigned)strtoul(text, NULL, 16);
}

/* Whether a PCI device is an NVIDIA GPU: a VGA or 3D controller of NVIDIA (vendor 0x10de). */
static bool is_gpu(const struct cua_subject *subject, const char *device)
{
    unsigned class = is_pci_address(device) && read_hex(subject, device, "vendor") == 0x10de
                         ? read_hex(subject, device, "class") >> 8
                         : 0;

    return class == 0x0300 || class == 0x0302;
}

struct listing {
    struct cua_facts *facts;
    const struct cua_subject *subject;
    const char *folder;
};

static int read_entry(void *data, const char *name, unsigned char type)
{
    const struct listing *listing = data;
    char path[512], text[4096] = ""; /* `path` fits: a name has at most 255 bytes */
    struct cua_gpu *gpu;

    (void)type;
    snprintf(path, sizeof(path), "%s/%s%s", listing->folder, name,
             strcmp(listing->folder, PROC_GPUS) == 0 ? "/information" : "");
    if (name[0] == '.' ||
        (strcmp(listing->folder, SYS_PCI) == 0
             ? !is_gpu(listing->subject, name)
             : cua_subject_read(listing->subject, path, text, sizeof(text)) < 0) ||
        !(gpu = cua_gpu_add(listing->facts)))
        return 0;
    if (is_pci_address(name))
        strcpy(gpu->pci, name);
    cua_gpu_read(gpu, text);
    return 0;
}

enum node { ABSENT, CLOSED, OPEN };

static enum node node_of(const struct cua_subject *subject, int minor)
{
    char path[32];
    struct stat st;

    snprintf(path, sizeof(path), "/dev/nvidia%d", minor);
    return cua_subject_may_open(subject, path)         ? OPEN
           : cua_subject_stat(subject, path, &st) == 0 ? CLOSED
                                                       : ABSENT;
}

/* Removes the GPUs that this process cannot use. /proc may list all GPUs of the host, although the
 * container lacks some of their device nodes, or a device cgroup forbids them.
 * - A GPU that the kernel driver's settings exclude is removed.
 * - Any other GPU without a known minor number stays.
 * - Of the rest, those stay whose nodes this process can open. If it can open none, those stay
 *   whose nodes exist. If no node exists, all stay, because nodes may be created later. */
static void drop_absent(struct cua_facts *facts, const struct cua_subject *subject)
{
    enum node node[MOST_GPUS], best = ABSENT;
    size_t kept = 0;

    for (size_t i = 0; i < facts->gpu_count; i++) {
        const struct cua_gpu *gpu = &facts->gpus[i];
        /* For a single GPU the result does not depend on its node, so the node is not looked at. */
        node[i] = gpu->minor < 0 || gpu->excluded || facts->gpu_count == 1
                      ? ABSENT
                      : node_of(subject, gpu->minor);
        best = node[i] > best ? node[i] : best;
    }
    for (size_t i = 0; i < facts->gpu_count; i++) {
        const struct cua_gpu *gpu = &facts->gpus[i];
        if (!gpu->excluded && (gpu->minor < 0 || node[i] == best))
            facts->gpus[kept++] = *gpu;
        else if (!gpu->excluded && node[i] == CLOSED)
            facts->gpus_closed++;
    }
    facts->gpu_count = kept;
    if (!kept) {
        free(facts->gpus);
        facts->gpus = NULL;
    }
}

static int by_address(const void *a, const void *b)
{
    const struct cua_gpu *x = a, *y = b;
    int order = strcasecmp(x->pci, y->pci);

    return order ? order : strcmp(x->uuid, y->uuid);
}

void cua_gpu_identify(struct cua_gpu *gpu, const struct cua_data *data)
{
    const struct cua_known model = cua_data_gpu_by_model(data, gpu->model);
    const struct cua_known pci = cua_data_gpu_by_pci(data, gpu->device);

    if (gpu->model[0]) {
        gpu->brand = model.brand;
        gpu->cc = model.cc;
    }
    if (model.brand != CUA_BRAND_UNKNOWN || model.cc)
        strcpy(gpu->source, "model");
    gpu->guessed = (model.brand != CUA_BRAND_UNKNOWN ? model.grade : pci.grade) <= CUA_GRADE_GUESS;
    if ((gpu->brand != CUA_BRAND_UNKNOWN && gpu->cc) || (pci.brand == CUA_BRAND_UNKNOWN && !pci.cc))
        return;
    if (gpu->brand == CUA_BRAND_UNKNOWN)
        gpu->brand = pci.brand;
    if (!gpu->cc)
        gpu->cc = pci.cc;
    strcpy(gpu->source, gpu->source[0] ? "model, pci" : "pci");
}

void cua_gpus_gather(struct cua_facts *facts, const struct cua_subject *subject)
{
    static const char *const folders[] = {PROC_GPUS, PROC_CARDS, SYS_PCI};

    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders) && !facts->gpu_count; i++) {
        struct listing listing = {facts, subject, folders[i]};
        cua_subject_list(subject, folders[i], read_entry, &listing);
    }
    drop_absent(facts, subject);
    if (facts->gpu_count)
        qsort(facts->gpus, facts->gpu_count, sizeof(*facts->gpus), by_address);
    for (size_t i = 0; i < facts->gpu_count; i++) {
        struct cua_gpu *gpu = &facts->gpus[i];
        gpu->visible = facts->gpus_known = true;
        cua_gpu_identify(gpu, facts->data);
        /* If the model's name shows brand and compute capability, the device ID is only needed to
         * tell several GPUs apart. */
        if (gpu->pci[0] && (facts->gpu_count > 1 || gpu->brand == CUA_BRAND_UNKNOWN || !gpu->cc)) {
            gpu->device = read_hex(subject, gpu->pci, "device") & 0xffff;
            cua_gpu_identify(gpu, facts->data);
        }
    }
}
