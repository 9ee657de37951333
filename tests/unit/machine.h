/* SPDX-License-Identifier: Apache-2.0 */
/* Facts for tests of the rules. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/facts.h"
#include "tables/tables.h"
#include "base/reasons.h"
#include "base/version.h"
#include "rules/words.h"

#define COUNT(array) (unsigned)(sizeof(array) / sizeof(*(array)))

/* A usable, trusted UMD with its companions, FOLDER/NUMBER/libcuda.so.VERSION. */
static inline struct cua_umd *machine_umd(struct cua_facts *facts, const char *folder,
                                          const char *version, unsigned number)
{
    struct cua_umd *umd = calloc(1, sizeof(*umd));

    umd->key.ino = number;
    if (asprintf(&umd->path, "%s/%u/libcuda.so.%s", folder, number, version) < 0)
        abort();
    umd->real = strdup(umd->path);
    umd->trusted = umd->companions = true;
    umd->loads = CUA_LOADS_YES;
    cua_version_parse(&umd->version, version);
    umd->cuda = cua_data_umd_cuda(NULL, &umd->version);
    HASH_ADD(hh, facts->umds, key, sizeof(umd->key), umd);
    return umd;
}

/* For a check that failed: the machine, its files, what they answered and what is chosen. */
static inline void machine_tell(const struct cua_facts *facts, const struct cua_verdict *verdict)
{
    static const char *const tried[] = {[CUA_TRIAL_NONE] = "not tried",
                                        [CUA_TRIAL_SILENT] = "tried: no answer",
                                        [CUA_TRIAL_ANSWERED] = "tried: cuInit answers"};
    struct cua_words words;
    char cuda[12];

    print_message("# the kernel driver: %s, platform %d%s\n", facts->kmd.version.text,
                  (int)facts->kmd.platform, facts->mps ? ", MPS" : "");
    for (size_t i = 0; i < facts->gpu_count; i++)
        print_message("# a GPU: %s, brand %d, capability %u%s\n", facts->gpus[i].model,
                      facts->gpus[i].brand, facts->gpus[i].cc,
                      facts->gpus[i].visible ? "" : ", hidden");
    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        print_message("# %s%s%s: CUDA %s%s%s%s; %s %d\n", umd->path,
                      umd == facts->loader ? ", the loader's choice" : "",
                      umd == facts->native ? ", native" : "", cua_cuda_text(umd->cuda, cuda),
                      umd->note.present ? ", a note" : "", umd->trusted ? "" : ", not trusted",
                      umd->loads == CUA_LOADS_NO ? ", does not load" : "", tried[umd->tried],
                      umd->tried == CUA_TRIAL_ANSWERED ? umd->trial_code : 0);
    print_message("# the program: CUDA %s\n", cua_cuda_text(facts->toolkit.cuda, cuda));
    cua_words(&words, verdict, facts);
    print_message("# chosen: %s, for %s: %s\n", verdict->chosen ? verdict->chosen->path : "nothing",
                  cua_reason_code(verdict->reason), words.explanation);
}

#define MACHINE_HOLDS(facts, verdict, condition)                                                   \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            machine_tell(facts, verdict);                                                          \
            fail_msg("not so: %s", #condition);                                                    \
        }                                                                                          \
    } while (0)

#endif
