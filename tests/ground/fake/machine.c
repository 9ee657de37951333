/* SPDX-License-Identifier: Apache-2.0 */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* nvml.h: nvmlBrandType_t */
static const char *const brand_names[] = {
    "UNKNOWN",    "QUADRO",     "TESLA",  "NVS",         "GRID",      "GEFORCE",
    "TITAN",      "VAPPS",      "VPC",    "VCS",         "VWS",       "CLOUD_GAMING",
    "QUADRO_RTX", "NVIDIA_RTX", "NVIDIA", "GEFORCE_RTX", "TITAN_RTX",
};

static FILE *open_in_root(const char *path)
{
    const char *root = getenv("FAKE_ROOT");
    char name[4096];

    if (!root)
        root = getenv("CUARBITER_SYSROOT");
    snprintf(name, sizeof name, "%s%s", root ? root : "", path);
    return fopen(name, "re");
}

/* "NVRM version: ... Kernel Module[ for x86_64]  VERSION  ...": the first word with a digit and
 * a dot in it after "Module". */
static void parse_kmd(char *line, char *kmd, size_t size)
{
    char *word = strstr(line, "Module");

    word = word ? strtok(word, " \t\n") : NULL;
    for (; word; word = strtok(NULL, " \t\n")) {
        if (word[0] >= '0' && word[0] <= '9' && strchr(word, '.')) {
            snprintf(kmd, size, "%s", word);
            return;
        }
    }
}

static int brand_number(const char *text)
{
    size_t i;

    if (*text >= '0' && *text <= '9')
        return atoi(text);
    for (i = 0; i < sizeof brand_names / sizeof *brand_names; i++)
        if (!strcasecmp(text, brand_names[i]))
            return (int)i;
    return 0;
}

/* brand|cc|uuid|pci|name */
static void parse_gpu(char *line, struct cua_fake_machine *machine)
{
    struct cua_fake_gpu *gpu = &machine->gpu[machine->n_gpus];
    char *field[5] = {"0", "7.5", "", "", ""}, *dot;
    int i;

    if (machine->n_gpus == CUA_MAX_GPUS || !*line)
        return;
    for (i = 0; i < 5 && line; i++)
        field[i] = strsep(&line, i < 4 ? "|" : "\n");
    gpu->brand = brand_number(field[0]);
    gpu->major = atoi(field[1]);
    dot = strchr(field[1], '.');
    gpu->minor = dot ? atoi(dot + 1) : 0;
    snprintf(gpu->uuid, sizeof gpu->uuid, "%s", field[2]);
    snprintf(gpu->pci, sizeof gpu->pci, "%s", field[3]);
    snprintf(gpu->name, sizeof gpu->name, "%s", field[4]);
    machine->n_gpus++;
}

static void read_gpus(struct cua_fake_machine *machine)
{
    const char *from = getenv("FAKE_GPUS"), *brands = getenv("FAKE_BRANDS");
    char text[8192] = "", *rest = text, *line;
    FILE *file;
    int i;

    if (from && *from != '@')
        snprintf(text, sizeof text, "%s", from);
    else {
        file = from ? fopen(from + 1, "re") : open_in_root("/fake-gpus");
        if (file) {
            text[fread(text, 1, sizeof text - 1, file)] = 0;
            fclose(file);
        }
    }
    while ((line = strsep(&rest, ";\n")))
        parse_gpu(line, machine);
    if (!brands)
        return;
    snprintf(text, sizeof text, "%s", brands);
    for (i = 0, rest = text; (line = strsep(&rest, ", ")); i++) {
        if (i == machine->n_gpus)
            parse_gpu((char[]){"0|8.0|||fake"}, machine);
        machine->gpu[i].brand = brand_number(line);
    }
}

/* The order is that of the list: of CUDA_DEVICE_ORDER the fakes know nothing. */
static int find_gpu(const struct cua_fake_machine *all, const char *item)
{
    char *end;
    long index = strtol(item, &end, 10);
    int i;

    if (*item && !*end)
        return index >= 0 && index < all->n_gpus ? (int)index : -1;
    for (i = 0; *item && i < all->n_gpus; i++)
        if (!strncasecmp(all->gpu[i].uuid, item, strlen(item)))
            return i;
    return -1;
}

static void keep_visible(struct cua_fake_machine *machine)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    struct cua_fake_machine all = *machine;
    char text[1024], *rest = text, *item;

    if (!list)
        return;
    machine->n_gpus = 0;
    snprintf(text, sizeof text, "%s", list);
    while ((item = strsep(&rest, ",")) && machine->n_gpus < CUA_MAX_GPUS) {
        int i = find_gpu(&all, item);
        if (i < 0)
            break;
        machine->gpu[machine->n_gpus++] = all.gpu[i];
    }
}

void cua_fake_read_machine(struct cua_fake_machine *machine, bool visible)
{
    FILE *file = open_in_root("/proc/driver/nvidia/version");
    char line[512];

    memset(machine, 0, sizeof *machine);
    if (file && fgets(line, sizeof line, file))
        parse_kmd(line, machine->kmd, sizeof machine->kmd);
    if (file)
        fclose(file);
    read_gpus(machine);
    if (visible)
        keep_visible(machine);
}
