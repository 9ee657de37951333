/* SPDX-License-Identifier: Apache-2.0 */
#include "row.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/whatif.h"
#include "facts/gpu.h"
#include "tables/tables.h"
#include "facts/visible.h"
#include "base/policy.h"
#include "base/version.h"
#include "elf/compat_note.h"
#include "facts/facts.h"
#include "facts/native.h"

#define IS(a, b) (strcmp(a, b) == 0)

bool row_read(struct row *row, void *stream)
{
    char **column[] = {&row->id,       &row->kmd,    &row->host,    &row->compat,
                       &row->gpus,     &row->cc,     &row->visible, &row->toolkit,
                       &row->platform, &row->policy, &row->extra,   &row->loader,
                       &row->chosen,   &row->works,  &row->reason,  &row->source};
    size_t size = 0, n = 0;

    do {
        row->text = NULL;
        if (getline(&row->text, &size, stream) < 0) {
            free(row->text);
            return false;
        }
        size = 0;
    } while (row->text[0] == '#' && (free(row->text), true));
    row->text[strcspn(row->text, "\n")] = '\0';
    for (char *rest = row->text, *cell; n < 16 && (cell = strsep(&rest, "\t")); n++)
        *column[n] = cell;
    if (n != 16)
        errx(1, "row with %zu columns: %s", n, row->text);
    return true;
}

const char *row_extra(const struct row *row, const char *key, char *buf, size_t size)
{
    size_t length = strlen(key);

    for (const char *word = row->extra; word; word = strchr(word, ';')) {
        word += *word == ';';
        if (strncmp(word, key, length) != 0 || !strchr("=;", word[length]))
            continue;
        word += length + (word[length] == '=');
        snprintf(buf, size, "%.*s", (int)strcspn(word, ";"), word);
        return buf;
    }
    return NULL;
}

static struct cua_umd *add_umd(struct cua_facts *facts, const char *folder, const char *name,
                               unsigned found)
{
    struct cua_umd *umd = calloc(1, sizeof(*umd));

    umd->key.ino = HASH_COUNT(facts->umds) + 1;
    if (asprintf(&umd->path, "%s/%s", folder, name) < 0 || !(umd->real = strdup(umd->path)))
        err(1, "asprintf");
    umd->found = found;
    umd->trusted = umd->companions = true;
    umd->loads = CUA_LOADS_YES;
    HASH_ADD(hh, facts->umds, key, sizeof(umd->key), umd);
    return umd;
}

static void set_version(struct cua_umd *umd, const char *version)
{
    if (cua_version_parse(&umd->version, version) != strlen(version))
        errx(1, "%s is no version", version);
    umd->cuda = cua_data_umd_cuda(NULL, &umd->version);
}

static void set_tegra_compat(const struct row *row, struct cua_umd *umd)
{
    char cuda[16];

    umd->tegra = true;
    umd->note = (struct cua_note){.present = true};
    if (row_extra(row, "notecuda", cuda, sizeof(cuda)))
        umd->cuda = umd->note.cuda = cua_cuda_parse(cuda);
}

static struct cua_umd *add_host(const struct row *row, struct cua_facts *facts)
{
    char folder[128], name[64], word[16];
    unsigned found = CUA_FOUND_DEFAULT | CUA_FOUND_CACHE;
    struct cua_umd *umd;

    if (!row_extra(row, "host", folder, sizeof(folder)))
        snprintf(folder, sizeof(folder), "/usr/lib/x86_64-linux-gnu");
    else
        found = CUA_FOUND_WELL_KNOWN | CUA_FOUND_LIBRARY_PATH;
    if (row_extra(row, "mount", word, sizeof(word)))
        found |= CUA_FOUND_MOUNT;
    if (IS(row->host, "wsl"))
        return add_umd(facts, "/usr/lib/wsl/lib", "libcuda.so.1", found);
    if (IS(row->host, "tegra")) {
        umd = add_umd(facts, "/usr/lib/aarch64-linux-gnu/nvidia", "libcuda.so.1.1", found);
        set_version(umd, "1.1");
        umd->tegra = true;
        umd->cuda = cua_data_tegra_cuda(NULL, &facts->kmd.version);
        return umd;
    }
    if (IS(row->host, "other")) {
        umd = add_umd(facts, folder, "libcuda.so.1", found);
        umd->state = CUA_UMD_FOREIGN;
        return umd;
    }
    snprintf(name, sizeof(name), "libcuda.so.%s", row->host);
    umd = add_umd(facts, folder, name, found);
    set_version(umd, row->host);
    return umd;
}

static size_t numbers(const char *s, unsigned *out)
{
    size_t n = 0;
    char *end;

    for (; *s && *s != '/'; s = end) {
        out[n++] = (unsigned)strtoul(s, &end, 10);
        if (end == s)
            errx(1, "%s is no list", s);
        end += strspn(end, " ");
    }
    return n;
}

static void set_note(const struct row *row, const char *key, struct cua_note *note)
{
    char text[256];
    unsigned brand[CUA_NOTE_MAX];

    if (!row_extra(row, key, text, sizeof(text)))
        return;
    note->present = note->has_branches = note->has_brands = true;
    note->branches = numbers(text, note->branch);
    note->brands = numbers(strchr(text, '/') + 1, brand);
    for (size_t i = 0; i < note->brands; i++)
        note->brand[i] = (int)brand[i];
}

static void set_answer(const struct row *row, const char *key, struct cua_umd *umd)
{
    char answer[16];

    if (!row_extra(row, key, answer, sizeof(answer)))
        return;
    umd->tried = IS(answer, "silent") ? CUA_TRIAL_SILENT : CUA_TRIAL_ANSWERED;
    umd->trial_code = atoi(answer);
}

static void add_brought(const struct row *row, struct cua_facts *facts)
{
    char version[32], folder[96], name[64];
    struct cua_umd *umd;

    if (!row_extra(row, "brought", version, sizeof(version)))
        return;
    snprintf(folder, sizeof(folder), "/opt/cuarbiter/drivers/%s", version);
    snprintf(name, sizeof(name), "libcuda.so.%s", version);
    umd = add_umd(facts, folder, name, CUA_FOUND_BROUGHT);
    set_version(umd, version);
    set_note(row, "bnote", &umd->note);
    set_answer(row, "banswer", umd);
}

static struct cua_umd *add_compat(const struct row *row, struct cua_facts *facts)
{
    char folder[128] = "/usr/local/cuda/compat", name[64], answer[16];
    struct cua_umd *umd;

    row_extra(row, "compat", folder, sizeof(folder));
    snprintf(name, sizeof(name), "libcuda.so.%s", row->compat);
    umd = add_umd(facts, folder, name,
                  strstr(folder, "compat") ? CUA_FOUND_COMPAT : CUA_FOUND_DEFAULT);
    set_version(umd, row->compat);
    if (IS(row->platform, "tegra") && IS(row->compat, "1.1"))
        set_tegra_compat(row, umd);
    set_note(row, "note", &umd->note);
    umd->companions = !row_extra(row, "alone", answer, sizeof(answer));
    if (!umd->companions)
        snprintf(umd->missing, sizeof(umd->missing), "libnvidia-ptxjitcompiler.so.1");
    set_answer(row, "answer", umd);
    return umd;
}

static void add_gpus(const struct row *row, struct cua_facts *facts)
{
    char models[1024], ccs[256], text[64];
    char *rest = models, *rest_cc = ccs, *model;

    if (IS(row->gpus, "-"))
        return;
    snprintf(models, sizeof(models), "%s", row->gpus);
    snprintf(ccs, sizeof(ccs), "%s", row->cc);
    facts->gpus = calloc(16, sizeof(*facts->gpus));
    facts->gpus_known = true;
    while ((model = strsep(&rest, ";"))) {
        size_t i = facts->gpu_count++;
        struct cua_gpu *gpu = &facts->gpus[i];
        const char *cc = strsep(&rest_cc, ";");
        gpu->brand = CUA_BRAND_UNKNOWN;
        gpu->visible = true;
        snprintf(gpu->model, sizeof(gpu->model), "%s", model);
        snprintf(gpu->pci, sizeof(gpu->pci), "0000:%02zx:00.0", i + 1);
        snprintf(gpu->uuid, sizeof(gpu->uuid), "GPU-%08zx-0000-0000-0000-000000000000", i);
        cua_gpu_identify(gpu, NULL);
        if (cc && !IS(cc, "-") && gpu->cc && cua_cc_parse(cc) != gpu->cc)
            errx(1, "%s: the tables say %u for %s", row->id, gpu->cc, model);
        if (cc && !IS(cc, "-"))
            gpu->cc = cua_cc_parse(cc);
        if (row_extra(row, "brand", text, sizeof(text)) ||
            row_extra(row, "nvml", text, sizeof(text))) {
            gpu->brand = atoi(text);
            gpu->guessed = false;
        }
    }
    bool by_address = row_extra(row, "order", text, sizeof(text)) && IS(text, "PCI_BUS_ID");
    cua_visible_read(facts,
                     IS(row->visible, "-")       ? NULL
                     : IS(row->visible, "empty") ? ""
                                                 : row->visible,
                     !by_address);
}

void row_facts(const struct row *row, struct cua_facts *facts, bool compat_first)
{
    struct cua_umd *host = NULL, *compat = NULL;
    char word[16];

    *facts = (struct cua_facts){.by_name = true};
    memset(facts->asked, true, sizeof(facts->asked));
    facts->kmd.platform = IS(row->platform, "wsl")     ? CUA_PLATFORM_WSL
                          : IS(row->platform, "tegra") ? CUA_PLATFORM_TEGRA
                          : IS(row->platform, "none") || IS(row->platform, "other")
                              ? CUA_PLATFORM_NONE
                              : CUA_PLATFORM_LINUX;
    if (row->kmd[0] >= '0' && row->kmd[0] <= '9' &&
        cua_version_parse(&facts->kmd.version, row->kmd) == 0)
        errx(1, "%s is no version", row->kmd);
    if (IS(row->platform, "open"))
        facts->kmd.flavour = CUA_KMD_OPEN;
    if (!IS(row->host, "-"))
        host = add_host(row, facts);
    if (!IS(row->compat, "-"))
        compat = add_compat(row, facts);
    if (compat && (compat_first || !host))
        facts->loader = compat;
    else if (host)
        facts->loader = host;
    facts->native = cua_find_native(facts);
    add_brought(row, facts);
    facts->circumstances.mig = strstr(row->visible, "MIG-");
    if (IS(row->policy, "file-host"))
        host->found |= CUA_FOUND_NAMED;
    if (IS(row->policy, "file-compat"))
        compat->found |= CUA_FOUND_NAMED;
    add_gpus(row, facts);
    facts->mps = row_extra(row, "mps", word, sizeof(word)) != NULL;
    if (!row_extra(row, "first", word, sizeof(word)))
        facts->agreed.what = CUA_AGREED_NATIVE;
    if (!IS(row->toolkit, "-")) {
        facts->toolkit.kind = CUA_TOOLKIT_HINT;
        facts->toolkit.cuda = cua_cuda_parse(row->toolkit);
        snprintf(facts->toolkit.source, sizeof(facts->toolkit.source), "CUDA_VERSION");
    }
}

void row_policy(const struct row *row, struct cua_policy *policy)
{
    char word[16];

    *policy = (struct cua_policy){.trial_timeout = 10, .trial = CUA_TRIAL_NEVER};
    if (IS(row->policy, "host"))
        policy->kind = CUA_POLICY_HOST;
    else if (IS(row->policy, "compat"))
        policy->kind = CUA_POLICY_COMPAT;
    else if (IS(row->policy, "off"))
        policy->kind = CUA_POLICY_OFF;
    else if (!IS(row->policy, "-"))
        snprintf(policy->libcuda, sizeof(policy->libcuda), "/named");
    if (row_extra(row, "answer", word, sizeof(word)) ||
        row_extra(row, "banswer", word, sizeof(word)))
        policy->trial = CUA_TRIAL_AUTO;
    if (row_extra(row, "minor", word, sizeof(word)))
        policy->minor = CUA_MINOR_YES;
    if (row_extra(row, "trial", word, sizeof(word)))
        policy->trial = IS(word, "never") ? CUA_TRIAL_NEVER : CUA_TRIAL_ALWAYS;
}
