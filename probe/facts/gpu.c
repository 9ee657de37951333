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
#define PROC_CARDS "/proc/driver/nvidia/cards" /* drivers before 2010: a file a card */
#define SYS_PCI    "/sys/bus/pci/devices"

/* More than any machine has; a damaged /proc must not fill the memory. */
#define MOST_GPUS 256

/* What only gathering needs to know of a GPU. */
struct card {
    struct cua_gpu gpu;
    int minor; /* of /dev/nvidiaN; -1 unknown */
    bool node; /* /dev/nvidiaN is there */
    bool excluded;
};

struct cards {
    struct card *card;
    size_t count;
};

static struct card *add(struct cards *cards)
{
    if (cards->count == MOST_GPUS)
        return NULL;
    struct card *grown = realloc(cards->card, (cards->count + 1) * sizeof(*grown));
    if (!grown)
        return NULL;
    cards->card = grown;
    struct card *card = &grown[cards->count++];
    *card = (struct card){.gpu.brand = CUA_BRAND_UNKNOWN, .minor = -1};
    return card;
}

/* Copies what fits whole and is printable; else leaves the field unknown. */
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

/* dddd:bb:dd.f, in hexadecimal. */
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

/* "Model: \t\t NVIDIA GeForce RTX 3090": the kernel module pads with blanks and tabs as it likes.
 */
static void read_line(struct card *card, const char *line, const char *end)
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
            take(card->gpu.model, sizeof(card->gpu.model), value, length);
    } else if (key_is(line, key, "GPU UUID")) {
        if (length > 4 && strncmp(value, "GPU-", 4) == 0 && !memchr(value, '?', length))
            take(card->gpu.uuid, sizeof(card->gpu.uuid), value, length);
    } else if (key_is(line, key, "Bus Location")) {
        char pci[sizeof(card->gpu.pci)] = "";
        take(pci, sizeof(pci), value, length);
        if (!card->gpu.pci[0] && is_pci_address(pci))
            strcpy(card->gpu.pci, pci);
    } else if (key_is(line, key, "Device Minor")) {
        if (length > 0 && length < 4 && strspn(value, "0123456789") == length)
            card->minor = atoi(value);
    } else if (key_is(line, key, "GPU Excluded") || key_is(line, key, "Blacklisted")) {
        card->excluded = key_is(value, length, "Yes");
    }
}

void cua_gpu_read(struct cua_gpu *gpu, int *minor, bool *excluded, const char *text)
{
    struct card card = {.gpu = *gpu, .minor = -1};

    for (const char *line = text; *line;) {
        const char *end = line + strcspn(line, "\n");
        read_line(&card, line, end);
        line = *end ? end + 1 : end;
    }
    *gpu = card.gpu;
    *minor = card.minor;
    *excluded = card.excluded;
}

static void read_information(struct cards *cards, const struct cua_subject *subject,
                             const char *path, const char *name)
{
    char text[4096];

    if (cua_subject_read(subject, path, text, sizeof(text)) < 0)
        return;
    struct card *card = add(cards);
    if (!card)
        return;
    if (is_pci_address(name))
        strcpy(card->gpu.pci, name);
    cua_gpu_read(&card->gpu, &card->minor, &card->excluded, text);
}

static unsigned read_hex(const struct cua_subject *subject, const char *device, const char *file)
{
    char path[512], text[32];

    snprintf(path, sizeof(path), SYS_PCI "/%s/%s", device, file);
    if (cua_subject_read(subject, path, text, sizeof(text)) <= 0)
        return 0;
    return (unsigned)strtoul(text, NULL, 16);
}

static void read_sys(struct cards *cards, const struct cua_subject *subject, const char *name)
{
    if (!is_pci_address(name) || read_hex(subject, name, "vendor") != 0x10de)
        return;
    unsigned class = read_hex(subject, name, "class") >> 8; /* display: VGA or 3D controller */
    if (class != 0x0300 && class != 0x0302)
        return;
    struct card *card = add(cards);
    if (card)
        strcpy(card->gpu.pci, name);
}

struct listing {
    struct cards *cards;
    const struct cua_subject *subject;
    const char *folder;
};

static int read_entry(void *data, const char *name, unsigned char type)
{
    const struct listing *listing = data;
    char path[512]; /* a name has at most 255 bytes */

    (void)type;
    if (name[0] == '.')
        return 0;
    if (strcmp(listing->folder, SYS_PCI) == 0) {
        read_sys(listing->cards, listing->subject, name);
        return 0;
    }
    snprintf(path, sizeof(path), "%s/%s%s", listing->folder, name,
             strcmp(listing->folder, PROC_GPUS) == 0 ? "/information" : "");
    read_information(listing->cards, listing->subject, path, name);
    return 0;
}

static void list(struct cards *cards, const struct cua_subject *subject, const char *folder)
{
    struct listing listing = {cards, subject, folder};

    cua_subject_list(subject, folder, read_entry, &listing);
}

static bool has_node(const struct cua_subject *subject, int minor)
{
    char path[32];
    struct stat st;

    snprintf(path, sizeof(path), "/dev/nvidia%d", minor);
    return cua_subject_stat(subject, path, &st) == 0;
}

/* /proc and /sys may list the GPUs of the whole host. One whose device node is missing, while that
 * of another is there, was not given to this container: cuInit does not see it. */
static void drop_absent(struct cards *cards, const struct cua_subject *subject)
{
    bool any = false;
    size_t kept = 0;

    for (size_t i = 0; i < cards->count; i++) {
        struct card *card = &cards->card[i];
        card->node = card->minor >= 0 && has_node(subject, card->minor);
        any |= card->node;
    }
    for (size_t i = 0; i < cards->count; i++) {
        const struct card *card = &cards->card[i];
        if (card->excluded || (any && card->minor >= 0 && !card->node))
            continue;
        cards->card[kept++] = *card;
    }
    cards->count = kept;
}

static int by_address(const void *a, const void *b)
{
    const struct cua_gpu *x = &((const struct card *)a)->gpu, *y = &((const struct card *)b)->gpu;
    int order = strcasecmp(x->pci, y->pci);

    return order ? order : strcmp(x->uuid, y->uuid);
}

void cua_gpu_identify(struct cua_gpu *gpu, const struct cua_data *data)
{
    int brand;
    unsigned cc;

    if (gpu->model[0] && cua_data_gpu_by_model(data, gpu->model, &gpu->brand, &gpu->cc))
        strcpy(gpu->source, "model");
    gpu->guessed = cua_data_brand_grade(data, gpu->model, gpu->device) <= CUA_GRADE_GUESS;
    if ((gpu->brand != CUA_BRAND_UNKNOWN && gpu->cc) || !gpu->device ||
        !cua_data_gpu_by_pci(data, gpu->device, &brand, &cc))
        return;
    if (gpu->brand == CUA_BRAND_UNKNOWN)
        gpu->brand = brand;
    if (!gpu->cc)
        gpu->cc = cc;
    strcpy(gpu->source, gpu->source[0] ? "model, pci" : "pci");
}

static void gather(struct cards *cards, const struct cua_subject *subject)
{
    list(cards, subject, PROC_GPUS);
    if (cards->count == 0)
        list(cards, subject, PROC_CARDS);
    if (cards->count == 0)
        list(cards, subject, SYS_PCI);
    drop_absent(cards, subject);
    if (cards->count)
        qsort(cards->card, cards->count, sizeof(*cards->card), by_address);
    for (size_t i = 0; i < cards->count; i++)
        if (cards->card[i].gpu.pci[0])
            cards->card[i].gpu.device =
                read_hex(subject, cards->card[i].gpu.pci, "device") & 0xffff;
}

void cua_gpus_gather(struct cua_facts *facts, const struct cua_subject *subject)
{
    struct cards cards = {0};

    gather(&cards, subject);
    facts->gpus = cards.count ? calloc(cards.count, sizeof(*facts->gpus)) : NULL;
    for (size_t i = 0; facts->gpus && i < cards.count; i++) {
        facts->gpus[i] = cards.card[i].gpu;
        facts->gpus[i].visible = facts->gpus_known = true;
        cua_gpu_identify(&facts->gpus[i], facts->data);
        facts->gpu_count++;
    }
    free(cards.card);
}
